//! Cells and a ledger that misbehave in one way each.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use hapax_core::capability::{
    CellSpec, Code, Failures, Human, Meaning, Native, Query, Row, Rung, Scope, Source, Window,
};
use hapax_core::cell::{
    Cell, CellReceipt, Connection, Context, CredentialField, Credentials, Echo, Integration, Page, SharedCell, Shot,
    Step, Wire,
};
use hapax_core::identity::Form;
use hapax_core::ledger::{Append, Appended, By, Layer, Ledger, LedgerError, MemoryLedger, Stored};
use hapax_core::protocol::{Event, Stamp};
use hapax_core::transport::{Request, Response};
use hapax_core::words::{Answer, Fault, Finding, Refusal, found};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::toy::Args;

const DOC: Source = Source::official("https://toy.example/docs", "2026-11-27");
const SEEN: Source = Source::practice("https://toy.example/forum", "2026-11-27");
const ROWS: &[Row] = &[
    Row::new(402, "*", "declined", Meaning::Refused, DOC),
    Row::new(429, "*", "slow_down", Meaning::NotDone, DOC),
    Row::new(500, "*", "adrift", Meaning::Adrift, DOC),
];
const KEY: Native = Native::key("key", Form::Uuid).one_wins().failures(Failures::Kept).from(&[DOC]);
const DAY: Window = Window::AtLeast(Duration::from_secs(24 * 3600));
const BY_MARK: Query =
    Query::by_mark("mark", Form::Text(32)).lag(Duration::ZERO).reaches(Window::Ever).proves().from(&[DOC]);
const BY_HANDLE: Query = Query::by_token().lag(Duration::ZERO).reaches(Window::Ever).proves().from(&[DOC]);
const PERSON: Rung = Rung::Human(Human { place: "the toy's list" });

const fn spec(id: &'static str, ladder: &'static [Rung]) -> CellSpec {
    CellSpec::new(id, "makes an effect", ladder)
        .answers(ROWS)
        .answers_within(Duration::from_secs(10))
        .settle(Duration::from_secs(5), DOC)
        .repairs(Duration::from_secs(60), DOC)
        .patience(Duration::from_secs(3600))
        .residual("none: it is a toy")
}

/// What these toys give back. The first effect of all fails later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Made {
    id: String,
    mark: String,
    amount: i64,
    #[serde(default)]
    failed: bool,
}

impl CellReceipt for Made {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        vec![("amount", self.amount.to_string())]
    }

    fn fate(&self) -> Option<(String, bool)> {
        Some(("settled or failed".to_owned(), self.failed))
    }
}

#[derive(Deserialize)]
struct Listed {
    effects: Vec<Made>,
}

async fn listed(cx: &Context) -> Result<Vec<Made>, Fault> {
    cx.search(Request::get("/effects"), |page: Listed, _| Ok(Page { hits: page.effects, next: None })).await
}

async fn post(shot: Shot<'_>, args: &Args, mark: String, key: Option<String>) -> Answer<Made> {
    let mut request = Request::post("/effects").json(json!({ "amount": args.amount, "mark": mark }));
    if let Some(key) = key {
        request = request.header("key", key);
    }
    shot.send(request, Answer::Happened).await
}

macro_rules! keyed {
    ($(#[$doc:meta])* $name:ident, $spec:expr) => {
        $(#[$doc])*
        pub(super) struct $name;

        impl Cell for $name {
            const SPEC: &'static CellSpec = &$spec;
            type Args = Args;
            type Receipt = Made;

            async fn attempt(&self, shot: Shot<'_>, args: &Args) -> Answer<Made> {
                let (mark, key) = (shot.names().mark(), shot.names().token("make"));
                post(shot, args, mark, Some(key)).await
            }
        }
    };
}

keyed!(
    /// A key for a minute, and nothing else.
    Short,
    spec("toy.short", &[Rung::Native(KEY.kept(Window::AtLeast(Duration::from_secs(60)), "pruned")), PERSON])
);
keyed!(
    /// A key that the provider compares within one credential.
    Rotated,
    spec("toy.rotated", &[Rung::Native(KEY.kept(DAY, "pruned").scope(&[Scope::Credential])), PERSON])
);
keyed!(
    /// Before its adapter was upgraded to [`Reshaped`].
    Plain,
    spec("toy.reshaped", &[Rung::Native(KEY.kept(DAY, "pruned")), PERSON])
);

/// The same cell as [`Plain`], around a handle.
pub(super) struct Reshaped;

impl Cell for Reshaped {
    const SPEC: &'static CellSpec = &spec(
        "toy.reshaped",
        &[Rung::Native(Native::handle("handle").kept(Window::Ever, "spent").one_wins().from(&[DOC])), PERSON],
    )
    .notes(&["handle"])
    .version(2);
    type Args = Args;
    type Receipt = Made;

    async fn prepare(&self, _: &Context, _: &Args) -> Result<Step<Made>, Fault> {
        Ok(Step::Note("handle", "h".to_owned()))
    }

    async fn attempt(&self, shot: Shot<'_>, args: &Args) -> Answer<Made> {
        post(shot, args, "h".to_owned(), Some("spends h".to_owned())).await
    }
}

/// A handle that is only a belt, and is looked for by itself.
#[derive(Default)]
pub(super) struct Belted(AtomicUsize);

impl Cell for Belted {
    const SPEC: &'static CellSpec = &spec(
        "toy.belted",
        &[
            Rung::Native(Native::handle("handle").kept(Window::Ever, "spent").one_wins().from(&[SEEN])),
            Rung::Query(BY_HANDLE),
            PERSON,
        ],
    )
    .notes(&["handle"]);
    type Args = Args;
    type Receipt = Made;

    async fn prepare(&self, _: &Context, _: &Args) -> Result<Step<Made>, Fault> {
        Ok(Step::Note("handle", format!("h{}", self.0.fetch_add(1, Ordering::SeqCst))))
    }

    async fn attempt(&self, shot: Shot<'_>, args: &Args) -> Answer<Made> {
        let handle = shot.names().note("handle").unwrap_or_default().to_owned();
        post(shot, args, handle, None).await
    }

    async fn find(&self, cx: &Context, _: &Args) -> Result<Finding<Made>, Fault> {
        let Some(handle) = cx.names().note("handle") else { return Ok(Finding::Absent) };
        Ok(found(listed(cx).await?.into_iter().filter(|hit| hit.mark == handle).collect()))
    }
}

/// What it makes first fails later; a query by mark proves.
pub(super) struct Mortal;

impl Cell for Mortal {
    const SPEC: &'static CellSpec = &spec("toy.mortal", &[Rung::Query(BY_MARK), PERSON]);
    type Args = Args;
    type Receipt = Made;

    async fn attempt(&self, shot: Shot<'_>, args: &Args) -> Answer<Made> {
        let mark = shot.names().mark();
        match post(shot, args, mark, None).await {
            Answer::Happened(made) => Answer::Happened(made.aged()),
            other => other,
        }
    }

    async fn find(&self, cx: &Context, _: &Args) -> Result<Finding<Made>, Fault> {
        let mark = cx.names().mark();
        Ok(found(listed(cx).await?.into_iter().filter(|hit| hit.mark == mark).map(Made::aged).collect()))
    }

    async fn fetch(&self, cx: &Context, _: &Args, id: &str) -> Result<Option<Made>, Fault> {
        Ok(cx.get::<Made>(Request::get(format!("/effects/{id}"))).await?.map(Made::aged))
    }
}

impl Made {
    /// The first effect of a provider fails, and whatever somebody else made.
    fn aged(mut self) -> Self {
        self.failed = self.id == "e0" && self.amount == 666 || self.mark.is_empty();
        self
    }
}

/// Whatever is there, with this amount, is good enough.
pub(super) struct BeSo;

impl Cell for BeSo {
    const SPEC: &'static CellSpec = &spec("toy.be_so", &[Rung::Query(BY_MARK), PERSON]).be_so();
    type Args = Args;
    type Receipt = Made;

    async fn attempt(&self, shot: Shot<'_>, args: &Args) -> Answer<Made> {
        let mark = shot.names().mark();
        post(shot, args, mark, None).await
    }

    async fn find(&self, cx: &Context, args: &Args) -> Result<Finding<Made>, Fault> {
        Ok(found(listed(cx).await?.into_iter().filter(|hit| hit.amount == args.amount).collect()))
    }
}

/// Whatever was asked for came to nothing, says every look.
pub(super) struct Dead;

impl Cell for Dead {
    const SPEC: &'static CellSpec = &spec("toy.dead", &[Rung::Query(BY_MARK), PERSON]);
    type Args = Args;
    type Receipt = Made;

    async fn attempt(&self, shot: Shot<'_>, args: &Args) -> Answer<Made> {
        let mark = shot.names().mark();
        post(shot, args, mark, None).await
    }

    async fn find(&self, _: &Context, _: &Args) -> Result<Finding<Made>, Fault> {
        Ok(Finding::Failed(Refusal::new("dead", "on record, and came to nothing")))
    }
}

/// Wants to be asked again in a year.
pub(super) struct Busy;

impl Cell for Busy {
    const SPEC: &'static CellSpec = &spec("toy.busy", &[PERSON]);
    type Args = Args;
    type Receipt = Made;

    async fn attempt(&self, _: Shot<'_>, _: &Args) -> Answer<Made> {
        Answer::NotDone("busy".to_owned(), Some(365 * 24 * 3_600_000))
    }
}

/// Never gets past its first harmless step.
pub(super) struct Unready;

impl Cell for Unready {
    const SPEC: &'static CellSpec = &spec("toy.unready", &[PERSON]).notes(&["handle"]);
    type Args = Args;
    type Receipt = Made;

    async fn prepare(&self, _: &Context, _: &Args) -> Result<Step<Made>, Fault> {
        Err(Fault::Lost("reset".to_owned()))
    }

    async fn attempt(&self, shot: Shot<'_>, args: &Args) -> Answer<Made> {
        post(shot, args, String::new(), None).await
    }
}

/// The provider with the cells of one test.
pub(super) struct Toys(pub(super) Vec<SharedCell>);

#[async_trait]
impl Integration for Toys {
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
        let code = response.json()?["error"].as_str()?.to_owned();
        Some(Code { kind: String::new(), code, message: "the toy says no".to_owned() })
    }

    async fn whoami(&self, _: &Wire) -> Result<String, Fault> {
        Ok("a toy".to_owned())
    }

    fn cells(&self) -> Vec<SharedCell> {
        self.0.clone()
    }
}

/// A connection to the provider, for these cells and with this API key.
pub(super) fn connection_with(cells: Vec<SharedCell>, api_key: &str) -> Connection {
    let credentials = Credentials::none().with("api_key", api_key.to_owned().into());
    let connection = Connection::new("toy", Arc::new(Toys(cells)), credentials).expect("a connection");
    connection.account("acme").stand_in()
}

/// A connection to the provider, for one cell.
pub(super) fn connection<C: Cell>(cell: C) -> Connection {
    connection_with(vec![hapax_core::cell::erase(cell)], "sk")
}

/// A ledger that can be away, whole or for answers only.
pub(super) struct Flaky {
    inner: Arc<MemoryLedger>,
    pub(super) away: AtomicBool,
    pub(super) unread: AtomicBool,
    pub(super) takes_no_answers: AtomicBool,
    /// Appends of answers that come too late hear so; others can't be written.
    pub(super) is_full: AtomicBool,
    /// What happens just before the ledger notes that it was restored.
    pub(super) meanwhile: Mutex<Option<Meanwhile>>,
}

type Meanwhile = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Flaky {
    pub(super) fn new(inner: Arc<MemoryLedger>) -> Arc<Self> {
        let [away, unread, takes_no_answers, is_full] = [(); 4].map(|()| AtomicBool::new(false));
        Arc::new(Self { inner, away, unread, takes_no_answers, is_full, meanwhile: Mutex::default() })
    }

    fn check(&self, unusable: bool) -> Result<(), LedgerError> {
        if unusable || self.away.load(Ordering::SeqCst) {
            let (what, hint) = ("the disk is gone".to_owned(), "plug it in".to_owned());
            return Err(LedgerError::Unusable { what, hint });
        }
        Ok(())
    }
}

#[async_trait]
impl Layer for Flaky {
    fn below(&self) -> &dyn Ledger {
        &*self.inner
    }

    async fn append(&self, append: Append) -> Result<Appended, LedgerError> {
        let answer = append.records.iter().any(|record| matches!(record.event, Event::Heard(_)));
        self.check(answer && self.takes_no_answers.load(Ordering::SeqCst))?;
        if answer && self.is_full.load(Ordering::SeqCst) {
            let stored = self.inner.load(By::Id(append.operation)).await?;
            let is_late = stored.is_none_or(|stored| stored.records.len() as u64 != append.seen);
            return if is_late {
                Err(LedgerError::Moved)
            } else {
                self.check(true).map(|()| unreachable!("it is full"))
            };
        }
        self.inner.append(append).await
    }

    async fn load(&self, by: By<'_>) -> Result<Option<Stored>, LedgerError> {
        self.check(self.unread.load(Ordering::SeqCst))?;
        self.inner.load(by).await
    }

    async fn note_restored(&self, at: Stamp, check: &str) -> Result<(), LedgerError> {
        let meanwhile = self.meanwhile.lock().expect("no panic").take();
        if let Some(meanwhile) = meanwhile {
            meanwhile.await;
        }
        self.inner.note_restored(at, check).await
    }
}
