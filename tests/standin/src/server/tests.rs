use super::{Provider, Server};
use crate::client::Call;
use crate::clock::Scripted;
use crate::injection::{Kind, Twists};
use crate::reply::Reply;
use crate::request::Request;
use crate::testing::{make, maker};
use crate::when::When;
use crate::world::World;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

fn posts() -> When {
    When::on("POST", "/things")
}

#[tokio::test]
async fn effects_are_counted_in_process_and_over_http() {
    let (server, _) = maker().await;
    let made = make(&server.url()).await.expect("a reply");
    assert_eq!((made.status, &made.value()["amount"]), (200, &json!(5)));
    assert_eq!(server.effects().marked("m1").len(), 1);
    assert_eq!(server.effects().marked("m2").len(), 0);

    let ask = |query: &str| Call::get(&format!("{}/_standin/effects{query}", server.url())).send();
    let told = ask("").await.expect("a reply").value();
    assert_eq!(told["effects"][0]["object"], made.value()["id"]);
    assert_eq!(ask("?mark=m1").await.expect("a reply").value()["count"], 1);
    assert_eq!(ask("?kind=other").await.expect("a reply").value()["count"], 0);

    Call::post(&format!("{}/_standin/reset", server.url())).send().await.expect("a reply");
    assert_eq!(server.effects().count("make"), 0);
    assert_eq!(make(&server.url()).await.expect("a reply").value()["id"], made.value()["id"]);
}

#[tokio::test]
async fn a_fault_can_be_given_over_http() {
    let (server, _) = maker().await;
    let fault = json!({ "method": "POST", "path": "/thi*", "nth": 2, "kind": "rate_limited", "retry_after_s": 7 });
    let inject = Call::post(&format!("{}/_standin/inject", server.url()));
    assert_eq!(inject.clone().json(&fault).send().await.expect("a reply").status, 200);
    assert_eq!(inject.json(&json!({ "kind": "no such" })).send().await.expect("a reply").status, 400);

    let mut statuses = Vec::new();
    for _ in 0..3 {
        let reply = make(&server.url()).await.expect("a reply");
        statuses.push((reply.status, reply.header("retry-after").map(str::to_owned)));
    }
    assert_eq!(statuses, [(200, None), (429, Some("7".to_owned())), (200, None)]);
    assert_eq!(server.effects().count("make"), 2);
    let told = Call::get(&format!("{}/_standin/injections", server.url())).send().await.expect("a reply").value();
    assert_eq!(told["injections"][0]["reached"], 1);
}

/// Each fault: what comes back, and whether the effect happened.
#[tokio::test]
async fn faults_answer_and_act_as_they_say() {
    async fn check(kind: Kind, effects: usize, expected: impl Fn(&Reply) -> bool) {
        let (server, _) = maker().await;
        let handle = server.injections().add(posts(), kind.clone());
        let reply = make(&server.url()).await.expect("a reply");
        assert!(expected(&reply), "{kind:?}: {reply:?}");
        assert_eq!(server.effects().count("make"), effects, "{kind:?}");
        assert_eq!(handle.times_reached(), 1, "{kind:?}");
    }
    let members = json!({ "id": "ob_other" }).as_object().expect("an object").clone();
    let moved = "http://127.0.0.1:1/".to_owned();
    check(Kind::ErrorBefore { status: 503, code: None }, 0, |reply| reply.status == 503).await;
    let busy = Some("busy".to_owned());
    check(Kind::ErrorBefore { status: 429, code: busy }, 0, |reply| reply.value()["error"] == "busy").await;
    check(Kind::ErrorAfter { status: 502, code: None }, 1, |reply| reply.status == 502).await;
    check(Kind::Unauthorized, 0, |reply| reply.status == 401).await;
    check(Kind::ForeignObject { members }, 1, |reply| reply.value()["id"] == "ob_other").await;
    check(Kind::EmptyBody, 1, |reply| reply.status == 200 && reply.body.is_empty()).await;
    check(Kind::ForeignHtml, 1, |reply| reply.status == 200 && reply.body.starts_with(b"<html>")).await;
    check(Kind::TruncatedJson { bytes: 4 }, 1, |reply| reply.body.len() == 4 && reply.value().is_null()).await;
    let redirect = |effect| Kind::Redirect { location: moved.clone(), effect };
    check(redirect(false), 0, |reply| reply.status == 302 && reply.header("location").is_some()).await;
    check(redirect(true), 1, |reply| reply.status == 302).await;
}

#[tokio::test]
async fn a_delayed_effect_happens_when_the_providers_clock_says_so() {
    let (server, clock) = maker().await;
    server.injections().add(posts(), Kind::DelayedEffect { after_ms: 60_000, status: 504 });
    assert_eq!(make(&server.url()).await.expect("a reply").status, 504);
    clock.advance(59_999);
    Call::get(&format!("{}/things", server.url())).send().await.expect("a reply");
    assert_eq!(server.effects().count("make"), 0);
    clock.advance(1);
    Call::get(&format!("{}/things", server.url())).send().await.expect("a reply");
    assert_eq!(server.effects().count("make"), 1);
}

#[tokio::test]
async fn what_was_due_before_a_leap_of_the_clock_is_as_old_as_if_there_had_been_none() {
    let (server, clock) = maker().await;
    let before = server.world().now_ms();
    server.injections().add(posts(), Kind::DelayedEffect { after_ms: 60_000, status: 504 });
    make(&server.url()).await.expect("a reply");
    clock.advance(600_000);
    Call::get(&format!("{}/things", server.url())).send().await.expect("a reply");
    let at: Vec<i64> = server.effects().all().iter().map(|effect| effect.at_ms).collect();
    assert_eq!(at, [before + 60_000]);
    assert_eq!(server.world().now_ms(), before + 600_000);
}

/// A provider that takes its time to act, and tells whether it has.
struct Slow(AtomicBool);

#[async_trait::async_trait]
impl Provider for Slow {
    async fn handle(&self, request: &Request, _: &Twists) -> Reply {
        if request.method == "POST" {
            tokio::time::sleep(Duration::from_millis(100)).await;
            self.0.store(true, Ordering::SeqCst);
        }
        Reply::json(200, &json!({ "acted": self.0.load(Ordering::SeqCst) }))
    }

    fn error(&self, status: u16, _: Option<&str>) -> Reply {
        Reply::empty(status)
    }

    fn reset(&self) {}
}

#[tokio::test]
async fn who_asks_while_a_delayed_effect_is_under_way_is_answered_after_it() {
    let clock = Scripted::at(1_000_000);
    let world = World::with_clock(1, clock.clock());
    let server = Server::start(Arc::new(Slow(AtomicBool::new(false))), world, 0).await.expect("a free port");
    server.injections().add(posts(), Kind::DelayedEffect { after_ms: 10, status: 504 });
    make(&server.url()).await.expect("a reply");
    clock.advance(10);
    // The provider has begun to act by itself; how far it is can't be told from outside.
    tokio::time::sleep(Duration::from_millis(50)).await;
    let asked = Call::get(&format!("{}/things", server.url())).send().await.expect("a reply");
    assert_eq!(asked.value()["acted"], true);
}

#[tokio::test]
async fn a_delayed_effect_happens_though_nobody_asks() {
    let (server, clock) = maker().await;
    server.injections().add(posts(), Kind::DelayedEffect { after_ms: 10, status: 504 });
    make(&server.url()).await.expect("a reply");
    clock.advance(10);
    while server.effects().count("make") == 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_provider_goes_on_when_its_caller_has_left() {
    let (server, _) = maker().await;
    let hang = server.injections().add(posts(), Kind::Hang { after_effect: false });
    let mut caller = TcpStream::connect(server.address()).await.expect("it listens");
    let request = b"POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n";
    caller.write_all(request).await.expect("it is sent");
    hang.reached().await;
    // Not a polite end but a reset, which the server notices at once.
    caller.set_zero_linger().expect("an open socket");
    drop(caller);
    make(&server.url()).await.expect("a reply");
    assert_eq!(server.effects().count("make"), 1);
    hang.release();
    hang.finished().await;
    while server.effects().count("make") == 1 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_dropped_server_lets_its_port_go() {
    let (server, _) = maker().await;
    let url = server.url();
    drop(server);
    while make(&url).await.is_ok() {
        tokio::task::yield_now().await;
    }
}
