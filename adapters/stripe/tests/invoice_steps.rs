//! The harmless steps of `stripe.send_invoice`, each broken in each way, against the stand-in on real sockets: what the
//! kit doesn't look at is what a broken step leaves behind (an empty draft at most, never a second line), and a ledger
//! that is lost between two steps.
#![cfg(feature = "standin")]

use std::sync::Arc;

use hapax_core::cell::{Connection, Credentials};
use hapax_core::executor::{Executor, RunRequest};
use hapax_core::identity::{NamespaceSecret, OperationKey};
use hapax_core::ledger::MemoryLedger;
use hapax_core::money::Money;
use hapax_core::policy::Policy;
use hapax_core::protocol::Bounds;
use hapax_core::transport::HttpTransport;
use hapax_core::words::Outcome;
use hapax_standin::client::Call;
use hapax_standin::{Fault, FaultProxy, Handle, Kind, Server, When};
use hapax_stripe::{InvoiceItem, SendInvoice, SendInvoiceCell};
use serde_json::Value;

/// Method, path, and which of the matches it is: the invoice is read after its lines were, twice.
const STEPS: [(&str, &str, u32); 6] = [
    ("GET", "/v1/invoices", 1),
    ("POST", "/v1/invoices", 1),
    ("GET", "/v1/invoices/*/lines", 1),
    ("POST", "/v1/invoices/*/add_lines", 1),
    ("GET", "/v1/invoices/in_*", 3),
    ("POST", "/v1/invoices/*/finalize", 1),
];

/// What goes wrong with a step, once.
#[derive(Clone, Copy, Debug)]
enum Break {
    Lost,
    AnswerLost,
    AnswerCut,
    Failed,
    FailedWithEffect,
}

/// A ledger that may forget, in front of a provider that does not.
struct Setting {
    stripe: Server,
    proxy: FaultProxy,
    secret: NamespaceSecret,
}

impl Setting {
    async fn new() -> Self {
        let stripe = hapax_stripe::standin::serve(0).await.expect("a free port");
        let proxy = FaultProxy::start(&stripe.url()).await.expect("a free port");
        Self { stripe, proxy, secret: NamespaceSecret::generate() }
    }

    /// An executor with an empty ledger.
    async fn executor(&self) -> Executor {
        self.executor_by(Policy::default()).await
    }

    /// The same, which waits an hour before it takes a step again.
    async fn patient_executor(&self) -> Executor {
        let bounds = Bounds { backoff_ms: 3_600_000, ..Bounds::default() };
        self.executor_by(Policy { bounds, ..Policy::default() }).await
    }

    async fn executor_by(&self, policy: Policy) -> Executor {
        let credentials = Credentials::none().with("api_key", "sk_test_anything".into());
        let connection = Connection::new("stripe", hapax_stripe::integration(), credentials).expect("a connection");
        let connection = connection.at(&self.proxy.url()).expect("an address").account("test").stand_in();
        let ledger = Arc::new(MemoryLedger::new());
        let builder = Executor::builder(ledger, Arc::new(HttpTransport::new()), self.secret.clone());
        builder.connection(connection).policy(policy).build().await.expect("an executor")
    }

    fn breaks(&self, (method, path, nth): (&str, &str, u32), how: Break) -> Handle {
        let when = When::on(method, path).nth(nth);
        let failing = |effect| Kind::StoredError { status: 500, effect, repaired_after_ms: None };
        match how {
            Break::Lost => self.proxy.inject(when, Fault::LoseRequest),
            Break::AnswerLost => self.proxy.inject(when, Fault::CutAfterCommit),
            Break::AnswerCut => self.proxy.inject(when, Fault::TruncateReply { body_bytes: 7 }),
            Break::Failed => self.stripe.injections().add(when, failing(false)),
            Break::FailedWithEffect => self.stripe.injections().add(when, failing(true)),
        }
    }

    async fn invoices(&self) -> Vec<Value> {
        let call = Call::get(&format!("{}/v1/invoices?limit=100&customer=cus_1", self.stripe.url()));
        let reply = call.header("authorization", "Bearer sk_test_1").send().await.expect("a reply");
        reply.value()["data"].as_array().cloned().expect("a list")
    }

    /// One mail of one finalized invoice over the sum; what is left besides is an empty draft.
    async fn holds(&self, drafts: usize, what: &str) {
        let mails = self.stripe.effects().of("invoice_mail");
        assert_eq!(mails.iter().map(|mail| mail.amount).collect::<Vec<_>>(), [1050], "{what}");
        let invoices = self.invoices().await;
        let (left, sent): (Vec<_>, Vec<_>) = invoices.iter().partition(|invoice| invoice["status"] == "draft");
        assert_eq!(sent.iter().map(|invoice| &invoice["total"]).collect::<Vec<_>>(), [1050], "{what}");
        assert!(left.len() <= drafts && left.iter().all(|invoice| invoice["total"] == 0), "{what}: {left:?}");
    }
}

fn invoice() -> SendInvoice {
    let item = |words, amount| InvoiceItem::new(words, Money::new(amount, "EUR").expect("money"));
    SendInvoice::new("cus_1", vec![item("Advice", 1000), item("Travel", 50)])
}

async fn run(executor: &Executor) -> Outcome<Value> {
    let mut last = None;
    for _ in 0..20 {
        let key = OperationKey::from_parts(["order", "1042", "invoice"]).expect("a key");
        let report = executor.run_cell::<SendInvoiceCell>("stripe", key, &invoice()).await.expect("a report");
        if matches!(report.outcome, Outcome::Succeeded { .. }) {
            return report.outcome;
        }
        last = Some(report.outcome);
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    }
    last.expect("it was run")
}

#[tokio::test(flavor = "multi_thread")]
async fn send_invoice_steps_that_break_make_one_mail_of_one_invoice() {
    let mut runs = tokio::task::JoinSet::new();
    for step in STEPS {
        for how in [Break::Lost, Break::AnswerLost, Break::AnswerCut, Break::Failed, Break::FailedWithEffect] {
            if step.0 == "GET" && matches!(how, Break::Failed | Break::FailedWithEffect) {
                continue;
            }
            runs.spawn(async move {
                let (setting, what) = (Setting::new().await, format!("{step:?} {how:?}"));
                let broken = setting.breaks(step, how);
                let outcome = run(&setting.executor().await).await;
                assert!(matches!(outcome, Outcome::Succeeded { .. }), "{what}: {outcome:?}");
                assert_eq!(broken.times_reached(), 1, "{what}: a fault that is never met proves nothing");
                // Only a creation that failed and was carried out leaves something behind.
                let drafts = usize::from(step.1 == "/v1/invoices" && matches!(how, Break::FailedWithEffect));
                setting.holds(drafts, &what).await;
            });
        }
    }
    while let Some(run) = runs.join_next().await {
        run.expect("a run");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn send_invoice_forgotten_between_steps_is_gone_on_with() {
    // Without a key the stand-in would make a second object: only what is found again keeps it from that.
    for step in STEPS {
        let setting = Setting::new().await;
        setting.stripe.injections().add(When::on("POST", "/v1/invoices").always(), Kind::KeyIgnored);
        setting.stripe.injections().add(When::on("POST", "/v1/invoices/*/add_lines").always(), Kind::KeyIgnored);
        let broken = setting.breaks(step, Break::AnswerLost);
        let first = setting.patient_executor().await;
        let key = OperationKey::from_parts(["order", "1042", "invoice"]).expect("a key");
        let args = serde_json::to_value(invoice()).expect("arguments");
        // It stops while it waits to take the broken step again.
        let request = RunRequest::new("stripe", "stripe.send_invoice", key, args).wait_ms(100);
        for _ in 0..100 {
            let _ = first.run(request.clone()).await.expect("a report");
            if broken.times_reached() > 0 {
                break;
            }
        }
        drop(first);
        assert_eq!(broken.times_reached(), 1, "{step:?}: a fault that is never met proves nothing");
        assert_eq!(setting.stripe.effects().count("invoice_mail"), 0, "{step:?}: it was to stop before");
        let outcome = run(&setting.executor().await).await;
        assert!(matches!(outcome, Outcome::Succeeded { .. }), "{step:?}: {outcome:?}");
        setting.holds(0, &format!("{step:?}")).await;
        assert_eq!(setting.invoices().await.len(), 1, "{step:?}");
    }
}
