//! What is run and killed: one job for each cell of the catalog, with what it needs at the provider.
//!
//! The jobs of an adapter are in its own folder, in `tests/crash/jobs.rs`; `cargo xtask generate` lists them here.

// generated: modules
#[path = "../../../../adapters/amadeus/tests/crash/jobs.rs"]
mod amadeus;
#[path = "../../../../adapters/duffel/tests/crash/jobs.rs"]
mod duffel;
#[path = "../../../../adapters/github/tests/crash/jobs.rs"]
mod github;
#[path = "../../../../adapters/gmail/tests/crash/jobs.rs"]
mod gmail;
#[path = "../../../../adapters/google_calendar/tests/crash/jobs.rs"]
mod google_calendar;
#[path = "../../../../adapters/hubspot/tests/crash/jobs.rs"]
mod hubspot;
#[path = "../../../../adapters/ms_graph/tests/crash/jobs.rs"]
mod ms_graph;
#[path = "../../../../adapters/paypal/tests/crash/jobs.rs"]
mod paypal;
#[path = "../../../../adapters/resend/tests/crash/jobs.rs"]
mod resend;
#[path = "../../../../adapters/sendgrid/tests/crash/jobs.rs"]
mod sendgrid;
#[path = "../../../../adapters/slack/tests/crash/jobs.rs"]
mod slack;
#[path = "../../../../adapters/stripe/tests/crash/jobs.rs"]
mod stripe;
#[path = "../../../../adapters/twilio/tests/crash/jobs.rs"]
mod twilio;
// /generated

use std::time::Duration;

use hapax_core::capability::{Completion, SecondEffect};
use hapax_core::cell::{SharedCell, SharedIntegration};
use hapax_core::executor::Point;
use hapax_core::identity::Form;
use hapax_standin::client::Call;
use serde_json::Value;

/// Cells that are not killed, each with its reason.
const WITHOUT: [(&str, &str); 1] = [(
    "postgres.execute",
    "its provider is a real server, which has no stand-in's counts: its kit stops the process at every point, and its own \
     tests end the server's sessions",
)];

/// How one cell is killed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    pub(crate) cell: &'static str,
    /// Kind of its effect in the stand-in's list.
    pub(crate) effect: &'static str,
    /// Method and path of the request that counts, for the fault proxy.
    pub(crate) shot: (&'static str, &'static str),
}

/// What is wanted once.
#[derive(Clone, Debug)]
pub(crate) struct Intent {
    pub(crate) args: Value,
    /// What stands on its effect alone: the object's id, or a text beside it.
    pub(crate) sign: Sign,
}

/// How an effect is known to be an intent's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// It carries our mark.
    Mark,
    /// It happened to this object, or has this text beside it.
    Is(String),
}

/// The provider, past every fault.
pub(crate) struct Site {
    pub(crate) url: String,
    /// Its time, in milliseconds since 1970.
    pub(crate) now_ms: i64,
}

/// All jobs.
pub(crate) fn all() -> Vec<Job> {
    let each: &[&[Job]] = &[
        // generated: jobs
        amadeus::JOBS,
        duffel::JOBS,
        github::JOBS,
        gmail::JOBS,
        google_calendar::JOBS,
        hubspot::JOBS,
        ms_graph::JOBS,
        paypal::JOBS,
        resend::JOBS,
        sendgrid::JOBS,
        slack::JOBS,
        stripe::JOBS,
        twilio::JOBS,
        // /generated
    ];
    each.concat()
}

/// The number-th intent of a job, after making what it needs.
pub(crate) async fn intent(job: Job, site: &Site, number: u64) -> Intent {
    match job.integration() {
        // generated: intents
        "amadeus" => amadeus::intent(job.cell, site, number).await,
        "duffel" => duffel::intent(job.cell, site, number).await,
        "github" => github::intent(job.cell, site, number).await,
        "gmail" => gmail::intent(job.cell, site, number).await,
        "google_calendar" => google_calendar::intent(job.cell, site, number).await,
        "hubspot" => hubspot::intent(job.cell, site, number).await,
        "ms_graph" => ms_graph::intent(job.cell, site, number).await,
        "paypal" => paypal::intent(job.cell, site, number).await,
        "resend" => resend::intent(job.cell, site, number).await,
        "sendgrid" => sendgrid::intent(job.cell, site, number).await,
        "slack" => slack::intent(job.cell, site, number).await,
        "stripe" => stripe::intent(job.cell, site, number).await,
        "twilio" => twilio::intent(job.cell, site, number).await,
        // /generated
        other => panic!("no intents of {other}"),
    }
}

impl Intent {
    /// One whose effect carries our mark.
    fn marked(args: Value) -> Self {
        Self { args, sign: Sign::Mark }
    }

    /// One whose effect is known by an id or a text.
    fn known_by(sign: &str, args: Value) -> Self {
        Self { args, sign: Sign::Is(sign.to_owned()) }
    }
}

impl Job {
    pub(crate) fn integration(self) -> &'static str {
        self.cell.split_once('.').expect("a cell's id has two halves").0
    }

    fn declared(self) -> SharedCell {
        let cells = catalog().into_iter().flat_map(|integration| integration.cells());
        cells.into_iter().find(|cell| cell.spec().id == self.cell).expect("a cell of the catalog")
    }

    /// Whether a second request never goes out without a person.
    pub(crate) fn is_withheld(self) -> bool {
        self.declared().spec().published().0.best() == SecondEffect::Withheld
    }

    /// Where requests go again for a time alone: that time, and how long a request takes to be settled, both in milliseconds.
    pub(crate) fn life_of_its_token(self) -> Option<(u64, u64)> {
        let declared = self.declared();
        let spec = declared.spec();
        let Completion::AutomaticWithin(seconds) = spec.published().0.completion else { return None };
        let resend = spec.answers_within + spec.resend_settle();
        Some((seconds * 1_000, u64::try_from(resend.as_millis()).unwrap_or(u64::MAX)))
    }

    /// Bound on automatic work.
    pub(crate) fn patience(self) -> Duration {
        self.declared().spec().patience
    }

    /// The forms of its token and its mark.
    pub(crate) fn forms(self) -> (Form, Form) {
        self.declared().spec().forms()
    }

    /// Whether a run of it, and what follows a lost answer, can come to this point.
    pub(crate) fn comes_to(self, point: Point) -> bool {
        let declared = self.declared();
        let spec = declared.spec();
        match point {
            Point::AfterPrepareStep => !spec.notes.is_empty(),
            Point::BeforeLook | Point::AfterLook => spec.queries().any(|query| !query.told),
            _ => true,
        }
    }

    /// All that a connection can meet, as a list for its configuration: the stand-in meets it.
    pub(crate) fn needs(self) -> String {
        let integration = catalog().into_iter().find(|one| one.name() == self.integration()).expect("an adapter");
        let cells = integration.cells();
        let needs = cells.iter().flat_map(|cell| cell.spec().published().1);
        let mut words: Vec<String> = needs.map(|need| format!("{:?}", need.words())).collect();
        words.sort();
        words.dedup();
        words.join(", ")
    }
}

fn catalog() -> Vec<SharedIntegration> {
    hapax_catalog::integrations()
}

impl Site {
    /// Asks the stand-in for something that an intent needs, as somebody else does.
    async fn ask(&self, call: Call) -> Value {
        let reply = call.send().await.expect("the stand-in answers");
        assert!(reply.status < 300, "the stand-in refuses: {} {}", reply.status, reply.value());
        reply.value()
    }

    /// A credential that the stand-in accepts.
    fn credential(integration: &str, field: &str) -> &'static str {
        let known = hapax_catalog::stand_in_credentials(integration).iter();
        known.clone().find(|(name, _)| *name == field).expect("a credential of the stand-in").1
    }
}

/// An id or another text out of an answer.
fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

#[test]
fn every_cell_of_the_catalog_has_a_job_or_a_reason() {
    let known: Vec<&str> = all().iter().map(|job| job.cell).collect();
    let excused: Vec<&str> = WITHOUT.iter().map(|(cell, _)| *cell).collect();
    let cells = catalog().into_iter().flat_map(|integration| integration.cells());
    let cells: Vec<&str> = cells.map(|cell| cell.spec().id).collect();
    for cell in &cells {
        let times = known.iter().chain(&excused).filter(|listed| *listed == cell).count();
        assert_eq!(times, 1, "{cell}: give it one job in its adapter's tests/crash/jobs.rs, or say in WITHOUT why not");
    }
    for listed in known.iter().chain(&excused) {
        assert!(cells.contains(listed), "the catalog has no {listed}");
    }
    assert!(WITHOUT.iter().all(|(_, reason)| !reason.is_empty()), "a reason is a sentence");
}
