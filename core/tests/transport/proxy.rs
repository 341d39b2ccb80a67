use std::time::Duration;

use hapax_core::transport::{HttpTransport, Request, Transport};
use url::Url;

use super::server::{OK, Server};
use super::{child, create, wide};

/// Where the child process sends its requests.
const TARGET: &str = "HAPAX_TEST_TARGET";

/// A proxy in the environment is not asked for. The environment is a child process's, since ours is
/// shared by all tests.
#[test]
fn a_proxy_in_the_environment_is_not_used() {
    let (target, proxy) = (Server::answering(OK), Server::answering(OK));
    let mut child = child("transport::proxy::sends_to_the_target");
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        child.env(name, proxy.url().as_str()).env(name.to_lowercase(), proxy.url().as_str());
    }
    child.env("NO_PROXY", "").env("no_proxy", "").env_remove("REQUEST_METHOD").env(TARGET, target.url().as_str());
    let output = child.output().expect("a child process");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(proxy.all().len(), 0, "the proxy was used");
    assert_eq!(target.all().len(), 2, "a shot and a read");
}

#[tokio::test]
#[ignore = "run in a child process by the test above"]
async fn sends_to_the_target() {
    let base = Url::parse(&std::env::var(TARGET).expect("a target")).expect("a URL");
    let transport = HttpTransport::new();
    transport.shoot(&base, create(), wide()).await.expect("an answer");
    transport.ask(&base, Request::get("/"), Duration::from_secs(20)).await.expect("an answer");
}
