//! All tests of overload, in one program.

#[cfg(target_os = "linux")]
#[path = "all/crowd.rs"]
mod crowd;
#[cfg(target_os = "linux")]
#[path = "all/fair.rs"]
mod fair;
#[cfg(target_os = "linux")]
#[path = "all/ledgers.rs"]
mod ledgers;
#[cfg(target_os = "linux")]
#[path = "all/limits.rs"]
mod limits;
#[cfg(target_os = "linux")]
#[path = "all/providers.rs"]
mod providers;
#[cfg(target_os = "linux")]
#[path = "all/service.rs"]
mod service;
