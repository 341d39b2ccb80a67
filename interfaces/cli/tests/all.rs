//! The real binary, from outside: what it prints, what it ends with, and what it leaves behind.

#[cfg(unix)]
#[path = "all/backup_guide.rs"]
mod backup_guide;
#[path = "all/bad_input.rs"]
mod bad_input;
#[path = "all/bad_ledger.rs"]
mod bad_ledger;
#[cfg(unix)]
#[path = "all/canaries.rs"]
mod canaries;
#[path = "all/crash.rs"]
mod crash;
#[path = "all/declare.rs"]
mod declare;
#[path = "all/demo.rs"]
mod demo;
#[cfg(unix)]
#[path = "all/doctor.rs"]
mod doctor;
#[cfg(unix)]
#[path = "all/export.rs"]
mod export;
#[cfg(unix)]
#[path = "all/failover.rs"]
mod failover;
#[cfg(unix)]
#[path = "all/floor.rs"]
mod floor;
#[cfg(unix)]
#[path = "all/guide.rs"]
mod guide;
#[path = "all/init.rs"]
mod init;
#[path = "all/json.rs"]
mod json;
#[cfg(unix)]
#[path = "all/other_secret.rs"]
mod other_secret;
#[path = "all/people.rs"]
mod people;
#[cfg(unix)]
#[allow(dead_code, reason = "the tests of the ledger use all of it")]
#[path = "../../../ledgers/postgres/tests/all/pooler.rs"]
mod pooler;
#[cfg(unix)]
#[path = "all/postgres_ledger.rs"]
mod postgres_ledger;
#[cfg(unix)]
#[allow(dead_code, reason = "the tests of the ledger use all of it")]
#[path = "../../../ledgers/postgres/tests/all/replica.rs"]
mod replica;
#[cfg(unix)]
#[path = "all/retention.rs"]
mod retention;
#[cfg(unix)]
#[path = "all/sealed.rs"]
mod sealed;
#[cfg(unix)]
#[path = "all/stopped.rs"]
mod stopped;
#[cfg(unix)]
#[path = "all/stopped_under_load.rs"]
mod stopped_under_load;
#[path = "all/support.rs"]
mod support;
#[cfg(unix)]
#[path = "all/told_to_stop.rs"]
mod told_to_stop;
#[cfg(unix)]
#[path = "all/work.rs"]
mod work;
