//! The transport on real sockets, against servers that record every byte.

mod again;
mod asking;
mod clocks;
mod deadline;
mod encrypted;
mod faults;
mod private;
mod proxy;
mod server;
mod sleeper;
mod stopped;
mod wire;

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use hapax_core::clock::{SharedClock, SystemClock};
use hapax_core::transport::{Gate, Request};
use serde_json::json;

/// A deadline that no test reaches.
fn wide() -> Gate {
    within(Duration::from_secs(60))
}

/// A deadline of the machine's clock, from now.
fn within(time: Duration) -> Gate {
    let clock: SharedClock = Arc::new(SystemClock::new());
    let now = clock.now();
    Gate::new(clock, now, u64::try_from(time.as_millis()).expect("a short time"))
}

/// A request with a body.
fn create() -> Request {
    Request::post("/v1/charges").json(json!({ "amount": 1200 }))
}

/// A request without one, for which only the socket can hold the gate.
fn cancel() -> Request {
    Request::new(hapax_core::transport::Method::Delete, "/v1/charges/1")
}

/// Another process that runs one of the ignored tests, for what a process has only one of.
fn child(test: &str) -> Command {
    let mut child = Command::new(std::env::current_exe().expect("this program"));
    child.args(["--exact", test, "--ignored", "--nocapture"]);
    child
}
