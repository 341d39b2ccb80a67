use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use hapax_core::transport::{Body, HttpTransport, Request, Transport};
use hapax_core::words::Fault;

use super::clocks::Jumping;
use super::server::Server;
use super::{cancel, create, wide};

/// A departure is journaled, the machine sleeps for an hour, and wakes with the request in hand.
#[tokio::test]
async fn a07_the_sleeper_at_the_socket() {
    for request in [create(), cancel()] {
        for pooled in [false, true] {
            let server = Server::answering(super::server::OK);
            let transport = HttpTransport::new();
            if pooled {
                transport.shoot(&server.url(), create(), wide()).await.expect("an answer");
            }
            let before = transport.stats().written;
            let clock = Jumping::new();
            let gate = clock.gate();
            clock.jump();
            let outcome = transport.shoot(&server.url(), request.clone(), gate).await;
            assert!(matches!(outcome, Err(Fault::NotSent(_))), "{outcome:?}");
            assert_eq!(transport.stats().written, before);
            drop(transport);
            let seen: u64 = server.all().iter().map(|one| one.bytes.len() as u64).sum();
            assert_eq!(seen, before, "a byte left after the deadline (pooled: {pooled})");
        }
    }
}

/// The machine sleeps while the answer is awaited. Its timers know nothing of it; the connection is
/// closed all the same, and an answer that came in the meantime is not read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a07_the_sleeper_before_the_answer() {
    for answer in [&b""[..], super::server::OK] {
        let clock = Jumping::new();
        let server = Server::start({
            let clock = Arc::clone(&clock);
            move |_, peer| {
                peer.request();
                clock.jump();
                peer.say(answer);
            }
        });
        let transport = HttpTransport::new();
        let outcome = transport.shoot(&server.url(), create(), clock.gate()).await;
        assert!(matches!(outcome, Err(Fault::Lost(_))), "{outcome:?}");
        assert!(server.ended().reset);
    }
}

/// The machine sleeps at any other moment: at each reading of the clock, one after the other. What
/// the kernel had taken by then is all that it ever takes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a07_the_sleeper_at_every_moment() {
    let big = Request::post("/v1/files").header("x-kind", "big");
    let big = Request { body: Body::Bytes("text/plain".to_owned(), vec![b'x'; 4_000_000]), ..big };
    for request in [create(), cancel(), big] {
        for pooled in [false, true] {
            let moments = jump_at_each_reading(&request, pooled).await;
            assert!(moments.before > 2, "{request:?} met the gate only {} times before it left", moments.before);
            assert!(moments.whole, "{request:?} never got through");
        }
    }
}

/// How many sleeps kept the request back, and whether it got through in the end.
struct Moments {
    before: u32,
    whole: bool,
}

async fn jump_at_each_reading(request: &Request, pooled: bool) -> Moments {
    let mut moments = Moments { before: 0, whole: false };
    for reading in 1..400 {
        let server = Server::answering(super::server::OK);
        let transport = Arc::new(HttpTransport::new());
        if pooled {
            transport.shoot(&server.url(), create(), wide()).await.expect("an answer");
        }
        let before = transport.stats().written;
        let (clock, at_jump) = jumping(reading, &transport);
        let outcome = transport.shoot(&server.url(), request.clone(), clock.gate()).await;
        let taken = transport.stats().written;
        drop(transport);
        if clock.has_jumped() {
            assert_eq!(taken, at_jump.load(Ordering::SeqCst), "reading {reading}, {request:?}: left after the jump");
        }
        assert_eq!(matches!(outcome, Err(Fault::NotSent(_))), taken == before, "reading {reading}: {outcome:?}");
        let seen: u64 = server.all().iter().map(|one| one.bytes.len() as u64).sum();
        assert!(seen <= taken, "reading {reading}: the counter missed bytes");
        moments.before += u32::from(taken == before);
        if !clock.has_jumped() {
            moments.whole = outcome.is_ok() && seen == taken;
            break;
        }
    }
    moments
}

/// A clock that jumps at this reading, and the bytes that the kernel had taken just then.
pub(crate) fn jumping(reading: u64, transport: &Arc<HttpTransport>) -> (Arc<Jumping>, Arc<AtomicU64>) {
    let at_jump = Arc::new(AtomicU64::new(0));
    let (note, watched): (_, Weak<HttpTransport>) = (Arc::clone(&at_jump), Arc::downgrade(transport));
    let clock = Jumping::at(reading, move || {
        let written = watched.upgrade().map_or(0, |transport| transport.stats().written);
        note.store(written, Ordering::SeqCst);
    });
    (clock, at_jump)
}
