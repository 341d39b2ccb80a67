//! The cells at a server that nobody here wrote and that isn't as Google says: emulate ignores the id that we choose, and
//! can't be asked for an event. So what is shown is that this is noticed, and never a success.

use std::sync::Arc;

use hapax_conformance::Forward;
use hapax_conformance::kit::{Site, say};
use hapax_core::cell::Connection;
use hapax_core::executor::{Executor, RunReport, RunRequest};
use hapax_core::identity::{NamespaceSecret, OperationKey};
use hapax_core::ledger::MemoryLedger;
use hapax_core::transport::HttpTransport;
use hapax_core::words::{Next, Outcome};
use hapax_standin::third_party::{self, Program};
use hapax_standin::{Fault, FaultProxy, When};
use serde_json::{Value, json};

use crate::site::{self, ask, moment};

const EVENTS: &str = "/calendar/v3/calendars/primary/events";
const EMULATE: Program = Program::Emulate("google");
/// The id that we chose and the one that the server made are not the same.
const ALARM: &str = "an answer differs from the intent in id of the event";

/// One operation at emulate, through a fault proxy.
struct Trial {
    executor: Executor,
    clock: Arc<Forward>,
    proxy: FaultProxy,
    request: RunRequest,
    site: Site,
    title: String,
}

impl Trial {
    async fn new(server: &str, cell: &str, title: &str, args: Value) -> Self {
        let proxy = FaultProxy::start(server).await.expect("a proxy");
        let credentials = site::token("ya29.elsewhere");
        let connection = Connection::new("calendar", hapax_google_calendar::integration(), credentials);
        let connection = connection.expect("a connection").at(&proxy.url()).expect("an address").stand_in();
        let clock = Arc::new(Forward::new());
        let (ledger, transport) = (Arc::new(MemoryLedger::new()), Arc::new(HttpTransport::new()));
        let executor = Executor::builder(ledger, transport, NamespaceSecret::generate())
            .clock(clock.clone())
            .connection(connection)
            .build()
            .await
            .expect("an executor");
        let key = OperationKey::from_parts(["elsewhere", title]).expect("a key");
        let request = RunRequest::new("calendar", cell, key, args).wait_ms(2_000);
        Self { executor, clock, proxy, request, site: Site { url: server.to_owned() }, title: title.to_owned() }
    }

    /// Creating an event with this title.
    async fn creating(server: &str, title: &str) -> Self {
        let args = json!({ "summary": title, "start": moment(10, "date_time"), "end": moment(11, "date_time") });
        Self::new(server, "google_calendar.create_event", title, args).await
    }

    async fn call(&self) -> RunReport {
        let report = self.executor.run(self.request.clone()).await.expect("it runs");
        assert!(matches!(report.outcome, Outcome::Unknown { .. }), "never a success: {report:?}");
        report
    }

    /// Calls until an alarm rings.
    async fn until_an_alarm(&self) {
        for _ in 0..200 {
            let report = self.call().await;
            if !report.alarms.is_empty() {
                return;
            }
            if let Outcome::Unknown { next: Next::CallAgain { after_ms }, .. } = &report.outcome {
                self.clock.forward(*after_ms);
            }
        }
        panic!("no alarm rings")
    }

    /// Calls until a person has it.
    async fn to_the_end(&self) -> RunReport {
        for _ in 0..200 {
            let report = self.call().await;
            match &report.outcome {
                Outcome::Unknown { next: Next::CallAgain { after_ms }, .. } => self.clock.forward(*after_ms),
                _ => return report,
            }
        }
        panic!("it is never settled")
    }

    /// The answer that shows that our id is ignored here, as it would not be at Google, is the last one that is asked
    /// for: a person has it then, with the alarm.
    async fn goes_no_further(&self) {
        let sent = self.requests();
        let end = self.to_the_end().await;
        assert!(matches!(end.outcome, Outcome::Unknown { next: Next::Person, .. }), "{end:?}");
        assert_eq!(end.alarms, [ALARM]);
        let (requests, events) = (self.requests(), self.events().await);
        assert_eq!((requests, events), (sent, sent), "nothing after the alarm");
    }

    fn requests(&self) -> usize {
        self.proxy.count("POST", EVENTS)
    }

    /// Events with the title, by the server's own list.
    async fn events(&self) -> usize {
        let list = ask(&self.site, "GET", "primary/events", None).await.expect("a list");
        let events = list["items"].as_array().expect("events");
        events.iter().filter(|event| event["summary"] == self.title.as_str()).count()
    }
}

async fn a_clean_answer_about_another_id_is_an_alarm(server: &str) {
    let trial = Trial::creating(server, "Clean").await;
    let report = trial.call().await;
    assert_eq!(report.alarms, [ALARM], "before anything goes again");
    assert_eq!((trial.requests(), trial.events().await), (1, 1));
    trial.goes_no_further().await;
}

async fn a_lost_answer_is_no_success_and_its_repeat_an_alarm(server: &str) {
    let trial = Trial::creating(server, "Lost").await;
    let lost = trial.proxy.inject(When::on("POST", EVENTS), Fault::CutAfterCommit);
    trial.call().await;
    assert_eq!((lost.times_reached(), trial.requests(), trial.events().await), (1, 1, 1));
    trial.until_an_alarm().await;
    assert_eq!((trial.requests(), trial.events().await), (2, 2), "the id was relied on once");
    trial.goes_no_further().await;
}

/// It can't be seen whether the event is there, so it is neither changed nor deleted.
async fn what_cannot_be_read_is_not_touched(server: &str) {
    let site = Site { url: server.to_owned() };
    let made = site::by_hand(&site, "By hand").await.expect("an event");
    for (cell, method) in [("google_calendar.update_event", "PATCH"), ("google_calendar.delete_event", "DELETE")] {
        let mut args = json!({ "event": made["id"] });
        if method == "PATCH" {
            args["summary"] = "By hapax".into();
        }
        let trial = Trial::new(server, cell, "By hand", args).await;
        for _ in 0..5 {
            trial.call().await;
            trial.clock.forward(60_000);
        }
        let reads = trial.proxy.seen().into_iter().filter(|seen| seen.method == "GET").count();
        assert!(reads >= 2, "it is tried again: {reads}");
        let sent = trial.proxy.seen().into_iter().filter(|seen| seen.method != "GET").count();
        assert_eq!((sent, trial.events().await), (0, 1), "{cell}");
    }
}

/// Plays them, where the server is installed.
pub(crate) async fn play_all() {
    if !third_party::available(EMULATE) {
        return say(b"emulate: skipped, not installed\n");
    }
    let server = third_party::start(EMULATE).await.expect("emulate starts");
    a_clean_answer_about_another_id_is_an_alarm(server.url()).await;
    a_lost_answer_is_no_success_and_its_repeat_an_alarm(server.url()).await;
    what_cannot_be_read_is_not_touched(server.url()).await;
    say(b"emulate: 4 runs, none of them a success, and an alarm where an event was created\n");
}
