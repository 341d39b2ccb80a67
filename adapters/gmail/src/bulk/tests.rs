use std::sync::Arc;

use hapax_core::cell::{Connection, Credentials};
use hapax_core::executor::Executor;
use hapax_core::group::Group;
use hapax_core::identity::NamespaceSecret;
use hapax_core::ledger::{MemoryLedger, SharedLedger};
use hapax_core::transport::HttpTransport;
use hapax_standin::Server;

use super::{BulkError, bulk, send_bulk};
use crate::{Mail, Mailbox};

fn mail_to(address: &str) -> Mail {
    let person: Mailbox = address.parse::<crate::Address>().expect("an address").into();
    Mail::to(person, "News", "Here they are.")
}

fn group(addresses: &[&str]) -> Group {
    bulk("news", addresses.iter().map(|address| mail_to(address))).expect("a group")
}

async fn executor(server: &Server, ledger: SharedLedger) -> Executor {
    let credentials = Credentials::none().with("access_token", "ya29.bulk".into());
    let connection = Connection::new("gmail", crate::integration(), credentials).expect("a connection");
    let connection = connection.at(&server.url()).expect("an address").stand_in().account("owner");
    let secret = NamespaceSecret::parse(&"5e".repeat(32)).expect("a secret");
    let transport = Arc::new(HttpTransport::new());
    Executor::builder(ledger, transport, secret).connection(connection).build().await.expect("an executor")
}

#[test]
fn bulk_keys_come_from_the_recipient() {
    let keys = |addresses: &[&str]| group(addresses).keys().map(ToString::to_string).collect::<Vec<_>>();
    let (both, other) = (keys(&["a@example.com", "b@example.com"]), keys(&["B@example.com", "a@example.com"]));
    assert_eq!((&both[0], &both[1]), (&other[1], &other[0]));
    assert!(both[0].starts_with("news:") && !both[0].contains('@'));
}

#[test]
fn bulk_same_recipient_twice_is_refused() {
    let twice = bulk("news", [mail_to("a@example.com"), mail_to("A@example.com")]).expect_err("twice").to_string();
    assert!(twice.contains("targets 1 and 2") && !twice.contains('@'), "{twice}");
    let copied = Mail { cc: mail_to("b@example.com").to, ..mail_to("a@example.com") };
    assert!(matches!(bulk("news", [copied]), Err(BulkError::Mail(1, _))));
}

#[test]
fn bulk_changed_list_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("news.jsonl");
    group(&["a@example.com"]).freeze(&file).expect("frozen");
    let changed = group(&["a@example.com", "b@example.com"]).freeze(&file).expect_err("another list").to_string();
    assert!(changed.contains("1 added"), "{changed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn bulk_goes_on_where_it_stopped() {
    let server = crate::standin::serve(0).await.expect("a free port");
    let ledger: SharedLedger = Arc::new(MemoryLedger::new());
    let everybody = ["a@example.com", "b@example.com", "c@example.invalid", "d@example.com"];
    let first = group(&everybody[..2]);
    let counts = send_bulk(&executor(&server, ledger.clone()).await, "gmail", &first, |_| {}).await;
    assert_eq!((counts.total, counts.succeeded), (2, 2));
    let mut seen = Vec::new();
    let all = group(&everybody);
    let note = |progress: hapax_core::group::Progress<'_>| seen.push((progress.id.to_owned(), progress.counts.seen()));
    let counts = send_bulk(&executor(&server, ledger).await, "gmail", &all, note).await;
    assert_eq!((counts.total, counts.succeeded, counts.refused, counts.seen()), (4, 3, 1, 4));
    assert_eq!(server.effects().count("mail"), 3, "what was sent before is not sent again");
    assert_eq!(seen.iter().map(|(_, seen)| *seen).collect::<Vec<_>>(), [1, 2, 3, 4]);
}
