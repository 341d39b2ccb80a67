//! What is called for: one cell of each class, with intents that can be told apart at the provider.
//!
//! What an adapter's cells need stands in its own folder, with the jobs of the crash suite, and is taken from there.

#[path = "../../../../adapters/github/tests/crash/jobs.rs"]
mod github;
#[path = "../../../../adapters/gmail/tests/crash/jobs.rs"]
mod gmail;
#[path = "../../../../adapters/hubspot/tests/crash/jobs.rs"]
mod hubspot;
#[path = "../../../../adapters/stripe/tests/crash/jobs.rs"]
mod stripe;

use hapax_core::capability::CellSpec;
use hapax_core::identity::{NamespaceSecret, OperationKey, Seed};
use hapax_standin::Effect;
use hapax_standin::client::Call;
use serde_json::Value;

use crate::worker::Account;

/// The cells, each with how many of eight keys are its: a handle with a key of ours, a question only, an id of ours that is
/// unique, an order of steps. The last one's adapter keeps to ten requests a second, in real time.
const CELLS: [(&str, usize); 4] =
    [("stripe.charge", 3), ("github.create_issue", 2), ("hubspot.create_deal", 2), ("gmail.send", 1)];

/// Arguments that the provider refuses: of which cell, where, and what stands there then.
const REFUSED: (&str, &str, &str) = ("stripe.charge", "payment_method", "pm_card_chargeDeclined");

/// How one cell is called and broken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    pub(crate) cell: &'static str,
    /// Kind of its effect in the stand-in's list.
    pub(crate) effect: &'static str,
    /// Method and path of the request that counts.
    pub(crate) shot: (&'static str, &'static str),
}

/// Arguments, as the adapters' jobs give them.
struct Intent {
    args: Value,
}

/// The provider, past every fault.
struct Site {
    url: String,
    #[allow(dead_code, reason = "the jobs of some adapters read it")]
    now_ms: i64,
}

/// A key and the intents that are called for under it.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) job: Job,
    pub(crate) number: u64,
}

/// Numbers of the second intents of keys lie beyond all first ones.
const SECOND: u64 = 500_000;

/// All jobs.
pub(crate) fn jobs() -> Vec<Job> {
    let all = [stripe::JOBS, github::JOBS, gmail::JOBS, hubspot::JOBS].concat();
    all.into_iter().filter(|job| CELLS.iter().any(|(cell, _)| *cell == job.cell)).collect()
}

/// The jobs, each as often as its cell is wanted.
pub(crate) fn wanted() -> Vec<Job> {
    let times = |job: &Job| CELLS.iter().find(|(cell, _)| *cell == job.cell).map_or(0, |(_, times)| *times);
    jobs().into_iter().flat_map(|job| std::iter::repeat_n(job, times(&job))).collect()
}

impl Job {
    pub(crate) fn integration(self) -> &'static str {
        self.cell.split_once('.').expect("a cell's id has two halves").0
    }

    /// What the provider promises of it.
    pub(crate) fn spec(self) -> &'static CellSpec {
        let integration = hapax_catalog::integration(self.integration()).expect("an adapter of the catalog");
        integration.cells().iter().map(|cell| cell.spec()).find(|spec| spec.id == self.cell).expect("one of its cells")
    }
}

impl Key {
    /// The caller's key.
    pub(crate) fn text(&self) -> String {
        format!("order:{}", self.number)
    }

    /// As histories have it: keys are a cell's.
    pub(crate) fn name(&self) -> String {
        format!("{}@{}", self.text(), self.job.cell)
    }

    /// The mark that its effects carry.
    pub(crate) fn mark(&self, secret: &NamespaceSecret) -> String {
        let key = OperationKey::new(self.text()).expect("letters, digits and a colon");
        Seed::new(secret.clone(), Account::NAME, self.job.cell, key).mark(self.job.spec().forms().1)
    }

    /// Arguments of an intent: the first one's, or another's.
    pub(crate) async fn args(&self, is_second: bool) -> Value {
        let number = self.number + if is_second { SECOND } else { 0 };
        let site = Site { url: String::new(), now_ms: 0 };
        let mut args = match self.job.integration() {
            "github" => github::intent(self.job.cell, &site, number).await.args,
            "hubspot" => hubspot::intent(self.job.cell, &site, number).await.args,
            "gmail" => gmail::intent(self.job.cell, &site, number).await.args,
            _ => stripe::intent(self.job.cell, &site, number).await.args,
        };
        if self.is_refused() {
            args[REFUSED.1] = REFUSED.2.into();
        }
        args
    }

    /// Whether its arguments are such that the provider refuses them.
    fn is_refused(&self) -> bool {
        self.job.cell == REFUSED.0 && self.number % 10 == 3
    }

    /// Whether nothing is to be sent after a moment that comes soon.
    pub(crate) fn expires(&self) -> bool {
        self.number % 9 == 4
    }

    /// The intent that an effect is of, where it can be seen: by its amount, or by a text beside it.
    pub(crate) fn intent_of(&self, effect: &Effect) -> Option<&'static str> {
        let has = |number: u64| {
            let amount = i64::try_from(1_000 + number).unwrap_or(i64::MAX);
            let text = number.to_string();
            effect.amount == amount || effect.metadata.values().any(|value| value.split(' ').any(|word| word == text))
        };
        match (has(self.number), has(self.number + SECOND)) {
            (true, false) => Some(name(false)),
            (false, true) => Some(name(true)),
            _ => None,
        }
    }
}

/// The name of an intent in histories.
pub(crate) fn name(is_second: bool) -> &'static str {
    if is_second { "b" } else { "a" }
}

impl Intent {
    fn marked(args: Value) -> Self {
        Self { args }
    }

    fn known_by(_: &str, args: Value) -> Self {
        Self { args }
    }
}

impl Site {
    /// Asks the stand-in for something that an intent needs.
    async fn ask(&self, call: Call) -> Value {
        call.send().await.expect("the stand-in answers").value()
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
