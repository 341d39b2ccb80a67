//! A process that is stopped can't close its sockets. On Linux the kernel does it for us.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hapax_core::transport::{Body, HttpTransport, Request, Transport};
use rustix::process::{Pid, Signal, kill_process};
use url::Url;

use super::server::{HUNG, Server};
use super::{child, within};

/// Where the child process sends its request.
const TARGET: &str = "HAPAX_TEST_STOPPED_TARGET";
const BODY: usize = 64 * 1024 * 1024;

/// The kernel holds megabytes of a process that was stopped in the middle of its request. After the
/// deadline it delivers none of them, though the server begins to read.
#[test]
fn a07_the_kernel_does_not_deliver_for_a_stopped_process() {
    let (server, begun, read) = waiting();
    let mut child = child("transport::stopped::sends_too_much");
    let mut child = child.env(TARGET, server.url().as_str()).stdout(Stdio::null()).spawn().expect("a child process");
    begun.recv_timeout(HUNG).expect("a first byte");
    let pid = Pid::from_child(&child);
    let queued = until(|| Some(queued_at(&server)).filter(|bytes| *bytes > 1_000_000)).expect("a full queue");
    kill_process(pid, Signal::STOP).expect("a stopped child");
    let gone = until(|| (queued_at(&server) == 0).then_some(()));
    read.send(()).expect("a server that waits");
    let seen = server.ended();
    kill_process(pid, Signal::KILL).expect("a dead child");
    child.wait().expect("its end");
    assert!(gone.is_some(), "the kernel held {queued} bytes past the deadline");
    assert!(seen.reset && seen.bytes.len() < BODY);
}

/// A server that says when a request begins and reads on when it is told.
fn waiting() -> (Server, Receiver<()>, std::sync::mpsc::Sender<()>) {
    let ((tell, begun), (read, wait)) = (channel(), channel::<()>());
    let (tell, wait) = (Mutex::new(tell), Mutex::new(wait));
    let both = Arc::new((tell, wait));
    let server = Server::start(move |_, peer| {
        peer.more();
        both.0.lock().expect("the signal").send(()).expect("a test that waits");
        both.1.lock().expect("the order").recv_timeout(2 * HUNG).expect("an order");
    });
    (server, begun, read)
}

/// Bytes that the kernel holds for clients of this server.
fn queued_at(server: &Server) -> u64 {
    let port = format!(":{:04X}", server.address.port());
    let table = fs::read_to_string("/proc/net/tcp").expect("the kernel's table");
    let fields = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    fields
        .filter(|fields| fields.len() > 4 && fields[2].ends_with(&port))
        .filter_map(|fields| u64::from_str_radix(fields[4].split(':').next()?, 16).ok())
        .sum()
}

/// Asks until there is an answer, or until only a hung test would go on.
fn until<T>(mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    for _ in 0..HUNG.as_millis() / 20 {
        if let Some(answer) = ask() {
            return Some(answer);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    None
}

#[tokio::test]
#[ignore = "run in a child process by the test above"]
async fn sends_too_much() {
    let base = Url::parse(&std::env::var(TARGET).expect("a target")).expect("a URL");
    let request = Request { body: Body::Bytes("text/plain".to_owned(), vec![b'x'; BODY]), ..Request::post("/") };
    let outcome = HttpTransport::new().shoot(&base, request, within(Duration::from_secs(2))).await;
    panic!("nobody stopped it: {outcome:?}");
}
