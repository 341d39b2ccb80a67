//! Cells of four kinds over the provider in memory.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hapax_core::capability::{
    Absence, CellSpec, Code, Failures, Human, Meaning, Native, Need, Query, Repeat, Row, Rung, Source, Stakes, Window,
};
use hapax_core::cell::{
    Cell, CellArgs, CellReceipt, Connection, Context, CredentialField, Echo, Integration, Page, SharedCell, Shot, Wire,
    erase,
};
use hapax_core::identity::Form;
use hapax_core::money::Money;
use hapax_core::transport::{Request, Response};
use hapax_core::words::{Answer, Fault, Finding, found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

const DOC: Source = Source::official("https://toy.example/docs", "2026-11-27");
const HOUR: Duration = Duration::from_secs(3600);
const ROWS: &[Row] = &[
    Row::new(402, "*", "declined", Meaning::Refused, DOC),
    Row::new(402, "*", "declined_on_record", Meaning::RefusedOnRecord, DOC),
    Row::new(429, "*", "slow_down", Meaning::NotDone, DOC),
    Row::new(409, "*", "exists", Meaning::Taken, DOC),
    Row::new(500, "*", "adrift", Meaning::Adrift, DOC),
];
const KEY: Native = Native::key("key", Form::Uuid)
    .kept(Window::AtLeast(Duration::from_secs(24 * 3600)), "pruned")
    .one_wins()
    .repeat(Repeat::Replays)
    .failures(Failures::Kept)
    .from(&[DOC]);
const ASK: Query =
    Query::by_mark("mark", Form::Text(32)).lag(Duration::ZERO).reaches(Window::Ever).proves().from(&[DOC]);
const MAYBE: Query = Query::by_content(&["amount"]).lag(Duration::ZERO).reaches(Window::Ever).from(&[DOC]);
const PERSON: Rung = Rung::Human(Human { place: "the toy's list: search {mark}" });
/// What the toy's paid tier unlocks.
pub(crate) const TIER: Need = Need::Setting("paid tier");

const fn spec(id: &'static str, ladder: &'static [Rung]) -> CellSpec {
    CellSpec::new(id, "makes an effect", ladder)
        .stakes(Stakes::High)
        .answers(ROWS)
        .answers_within(Duration::from_secs(10))
        .settle(Duration::from_secs(5), DOC)
        .repairs(Duration::from_secs(60), DOC)
        .patience(HOUR)
        .residual("none: it is a toy")
}

/// What every toy takes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    pub(crate) amount: i64,
    #[serde(default)]
    pub(crate) note: String,
}

impl CellArgs for Args {
    const VOLATILE: &'static [&'static str] = &["note"];

    fn check(&self) -> Result<(), String> {
        if self.amount > 0 { Ok(()) } else { Err("amount must be positive".to_owned()) }
    }

    fn echo(&self) -> Echo {
        vec![("amount", self.amount.to_string())]
    }

    fn money(&self) -> Option<Money> {
        Money::new(self.amount, "EUR").ok()
    }
}

/// What every toy gives back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Made {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) mark: String,
    pub(crate) amount: i64,
}

impl CellReceipt for Made {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        vec![("amount", self.amount.to_string())]
    }

    fn fate(&self) -> Option<(String, bool)> {
        (self.amount == 666).then(|| ("failed".to_owned(), true))
    }
}

#[derive(Deserialize)]
struct Listed {
    effects: Vec<Made>,
}

async fn listed(cx: &Context) -> Result<Vec<Made>, Fault> {
    cx.search(Request::get("/effects"), |page: Listed, _| Ok(Page { hits: page.effects, next: None })).await
}

macro_rules! toy {
    ($(#[$doc:meta])* $name:ident, $id:literal, $ladder:expr, key: $keyed:literal, find: $find:expr) => {
        $(#[$doc])*
        pub(crate) struct $name;

        impl Cell for $name {
            const SPEC: &'static CellSpec = &spec($id, $ladder);
            type Args = Args;
            type Receipt = Made;

            async fn attempt(&self, shot: Shot<'_>, args: &Args) -> Answer<Made> {
                assert_ne!(args.amount, 13, "an adapter that panics");
                let names = shot.names();
                let body = json!({ "amount": args.amount, "mark": names.mark() });
                let mut request = Request::post("/effects").json(body);
                if $keyed {
                    request = request.header("key", names.token("make"));
                }
                shot.send(request, Answer::Happened).await
            }

            async fn find(&self, cx: &Context, args: &Args) -> Result<Finding<Made>, Fault> {
                let find: fn(&Context, &Args, Made) -> bool = $find;
                Ok(found(listed(cx).await?.into_iter().filter(|hit| find(cx, args, hit.clone())).collect()))
            }

            async fn fetch(&self, cx: &Context, _: &Args, id: &str) -> Result<Option<Made>, Fault> {
                cx.get(Request::get(format!("/effects/{id}"))).await
            }
        }
    };
}

toy!(
    /// A key for a day, then a query that proves.
    Keyed, "toy.keyed", &[Rung::Native(KEY), Rung::Query(ASK), PERSON], key: true,
    find: |cx, _, hit| hit.mark == cx.names().mark()
);
toy!(
    /// Nothing but a query that proves.
    Asked, "toy.asked", &[Rung::Query(ASK), PERSON], key: false,
    find: |cx, _, hit| hit.mark == cx.names().mark()
);
toy!(
    /// Nothing but a list in which things look alike.
    Alike, "toy.alike", &[Rung::Query(MAYBE), PERSON], key: false,
    find: |_, args, hit| hit.amount == args.amount
);
toy!(
    /// A key that only the paid tier remembers.
    Tiered, "toy.tiered", &[Rung::Native(KEY.needs(&[TIER])), PERSON], key: true,
    find: |_, _, _| false
);

/// Nothing at all.
pub(crate) struct Blind;

impl Cell for Blind {
    const SPEC: &'static CellSpec = &spec("toy.blind", &[PERSON]);
    type Args = Args;
    type Receipt = Made;

    async fn attempt(&self, shot: Shot<'_>, args: &Args) -> Answer<Made> {
        shot.send(Request::post("/effects").json(json!({ "amount": args.amount, "mark": "" })), Answer::Happened).await
    }
}

/// The toy's provider.
pub(crate) struct Toy;

#[async_trait]
impl Integration for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn base_url(&self) -> &'static str {
        "http://toy.example"
    }

    fn credentials(&self) -> &'static [CredentialField] {
        &[]
    }

    fn authorize(&self, _: &Connection, _: &mut Request) -> Result<(), Fault> {
        Ok(())
    }

    fn code(&self, response: &Response) -> Option<Code> {
        let body = response.json()?;
        let code = body["error"].as_str()?.to_owned();
        Some(Code { kind: String::new(), code, message: "the toy says no".to_owned() })
    }

    async fn whoami(&self, _: &Wire) -> Result<String, Fault> {
        Ok("a toy".to_owned())
    }

    fn cells(&self) -> Vec<SharedCell> {
        vec![erase(Keyed), erase(Asked), erase(Alike), erase(Tiered), erase(Blind)]
    }
}

/// The toy, shared.
pub(crate) fn toy() -> Arc<dyn Integration> {
    Arc::new(Toy)
}

#[test]
fn the_toys_are_what_they_say() {
    let worth = |spec: &CellSpec| spec.queries().map(|query| query.absence).max();
    assert_eq!(worth(Keyed::SPEC), Some(Absence::Proves));
    assert_eq!(worth(Alike::SPEC), Some(Absence::Suggests));
    assert_eq!(worth(Blind::SPEC), None);
}
