//! All tests of overload, in one program.
#![cfg(target_os = "linux")]

#[path = "all/answers.rs"]
mod answers;
#[path = "all/api.rs"]
mod api;
#[path = "all/disks.rs"]
mod disks;
#[path = "all/fair.rs"]
mod fair;
#[path = "all/ledgers.rs"]
mod ledgers;
#[path = "all/limits.rs"]
mod limits;
#[path = "all/one_key.rs"]
mod one_key;
#[path = "all/providers.rs"]
mod providers;
#[path = "../../../ledgers/postgres/tests/all/relay.rs"]
#[allow(dead_code, reason = "the tests of the ledger use all of it")]
mod relay;
#[path = "all/service.rs"]
mod service;
#[path = "all/silence.rs"]
mod silence;
#[path = "all/site.rs"]
mod site;
