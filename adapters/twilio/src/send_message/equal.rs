//! Two equal messages under two operation keys, of which one arrived: an executor, a ledger and the
//! stand-in, on a clock that runs a hundred times faster.

use std::sync::Arc;

use hapax_core::cell::{Connection, Credentials};
use hapax_core::clock::{Clock, ScaledClock};
use hapax_core::executor::{Executor, RunReport};
use hapax_core::identity::{NamespaceSecret, OperationKey};
use hapax_core::ledger::MemoryLedger;
use hapax_core::transport::HttpTransport;
use hapax_core::words::{Next, Outcome};
use hapax_standin::{Kind, When, World};

use super::*;
use crate::standin::StandIn;
use crate::testing::ACCOUNT;

/// A deadline of 30 s is 300 ms here, which a busy machine can keep.
const FACTOR: u32 = 100;

#[tokio::test(flavor = "multi_thread")]
async fn send_message_equal_intents_do_not_share_a_record() {
    // Provider and executor go by one clock: a look compares their times.
    let clock = Arc::new(ScaledClock::new(FACTOR));
    let theirs = Arc::clone(&clock);
    let world = World::with_clock(1, Arc::new(move || theirs.now().wall_ms));
    let twilio = StandIn::new(world).serve(0).await.expect("a free port");
    let shots = || When::on("POST", "*/Messages.json");
    // Both answers are lost: the first message came to nothing, the second was sent.
    twilio.injections().add(shots(), Kind::ErrorBefore { status: 503, code: None });
    twilio.injections().add(shots().nth(2), Kind::ErrorAfter { status: 503, code: None });

    let credentials = Credentials::none().with("account_sid", ACCOUNT.into()).with("auth_token", "any".into());
    let connection = Connection::new("twilio", crate::integration(), credentials).expect("a connection");
    let connection = connection.at(&twilio.url()).expect("a URL").stand_in();
    let (ledger, transport) = (Arc::new(MemoryLedger::new()), Arc::new(HttpTransport::new()));
    let executor = Executor::builder(ledger, transport, NamespaceSecret::generate())
        .clock(clock)
        .connection(connection)
        .build()
        .await
        .expect("an executor");

    let to = Address::new("+15551230001").expect("a number");
    let message = SendMessage::text(to, Sender::new("+15551234567").expect("a number"), "Your table is ready.");
    let mut ends = Vec::new();
    for key in ["reservation:77", "reservation:78"] {
        ends.push(settled(&executor, key, &message).await);
    }
    let found = ends.iter().filter(|end| matches!(end.outcome, Outcome::Succeeded { .. })).count();
    let asked = ends.iter().filter(|end| matches!(end.outcome, Outcome::Unknown { next: Next::Person, .. })).count();
    assert_eq!((found, asked), (1, 1), "{ends:?}");
    assert_eq!(twilio.effects().count("message"), 1);
}

/// Calls with this key until it is final or with a person.
async fn settled(executor: &Executor, key: &str, message: &SendMessage) -> RunReport {
    for _ in 0..2_000 {
        let key = OperationKey::new(key).expect("a key");
        let report = executor.run_cell::<SendMessageCell>("twilio", key, message).await.expect("a report");
        match report.outcome {
            Outcome::Unknown { next: Next::CallAgain { after_ms }, .. } => {
                tokio::time::sleep(std::time::Duration::from_millis((after_ms / u64::from(FACTOR)).clamp(1, 100)))
                    .await;
            }
            _ => return report,
        }
    }
    panic!("{key} is never settled")
}
