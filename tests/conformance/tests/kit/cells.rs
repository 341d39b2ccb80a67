//! The toy's integration: three cells, one for each kind of ladder.

use std::time::Duration;

use async_trait::async_trait;
use hapax_core::capability::{
    CellSpec, Code, Failures, Human, Meaning, Native, Query, Repeat, Row, Rung, Source, Window,
};
use hapax_core::cell::{
    Cell, CellArgs, CellReceipt, Connection, Context, CredentialField, Echo, Integration, Page, SharedCell, Shot, Wire,
    erase,
};
use hapax_core::identity::Form;
use hapax_core::transport::{Request, Response};
use hapax_core::words::{Answer, Fault, Finding, found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct ToyIntegration;

const TOKEN: CredentialField =
    CredentialField { name: "token", variable: "TOY_TOKEN", optional: false, what: "anything" };

#[async_trait]
impl Integration for ToyIntegration {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn base_url(&self) -> &'static str {
        "http://127.0.0.1:1"
    }

    fn credentials(&self) -> &'static [CredentialField] {
        &[TOKEN]
    }

    fn authorize(&self, connection: &Connection, request: &mut Request) -> Result<(), Fault> {
        let token = connection.credentials.get("token").ok_or_else(|| Fault::NotSent("no token".to_owned()))?;
        request.secrets.push(("Authorization".to_owned(), token.clone()));
        Ok(())
    }

    fn code(&self, response: &Response) -> Option<Code> {
        let code = response.json()?.get("error")?.as_str()?.to_owned();
        Some(Code { message: code.clone(), code, ..Code::default() })
    }

    async fn whoami(&self, _: &Wire) -> Result<String, Fault> {
        Ok("the toy".to_owned())
    }

    fn cells(&self) -> Vec<SharedCell> {
        vec![erase(Pay), erase(Send), erase(Post)]
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Text {
    pub(crate) text: String,
}

impl CellArgs for Text {
    fn echo(&self) -> Echo {
        vec![("text", self.text.clone())]
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    id: String,
    text: String,
    mark: String,
}

impl CellReceipt for Record {
    fn id(&self) -> &str {
        &self.id
    }

    fn echo(&self) -> Echo {
        vec![("text", self.text.clone())]
    }
}

#[derive(Deserialize)]
struct List {
    data: Vec<Record>,
    has_more: bool,
    next: usize,
}

const DOC: Source = Source::official("https://toy.example/docs", "2026-11-27");
const KEY: Native = Native::key("Idempotency-Key", Form::Uuid)
    .kept(Window::AtLeast(Duration::from_secs(600)), "pruned")
    .one_wins()
    .repeat(Repeat::Replays)
    .failures(Failures::Kept)
    .from(&[DOC]);
const BY_MARK: Query =
    Query::by_mark("mark", Form::Text(32)).lag(Duration::ZERO).reaches(Window::Ever).proves().from(&[DOC]);
const BY_TEXT: Query = Query::by_content(&["text"]).lag(Duration::ZERO).reaches(Window::Ever).proves().from(&[DOC]);
const PERSON: Rung = Rung::Human(Human { place: "the toy's list, text {text}" });

const fn spec(id: &'static str, ladder: &'static [Rung], answers: &'static [Row]) -> CellSpec {
    CellSpec::new(id, "Makes a record", ladder)
        .answers(answers)
        .answers_within(Duration::from_secs(80))
        .settle(Duration::from_secs(60), DOC)
        .residual("a toy")
}

const ANSWERS: &[Row] = &[
    Row::new(429, "*", "*", Meaning::NotDone, DOC),
    Row::new(409, "*", "in_use", Meaning::NotDone, DOC),
    Row::new(400, "*", "other_parameters", Meaning::Taken, DOC),
    Row::new(422, "*", "refused", Meaning::RefusedOnRecord, DOC),
];
const UNKEYED: &[Row] = &[Row::new(429, "*", "*", Meaning::NotDone, DOC)];

const PAY: CellSpec = spec("toy.pay", &[Rung::Native(KEY), PERSON], ANSWERS);
const SEND: CellSpec = spec("toy.send", &[Rung::Query(BY_MARK), PERSON], UNKEYED);
const POST: CellSpec = spec("toy.post", &[Rung::Query(BY_TEXT), PERSON], UNKEYED);

/// Under a key; nothing can be asked.
pub(crate) struct Pay;

impl Cell for Pay {
    const SPEC: &'static CellSpec = &PAY;
    type Args = Text;
    type Receipt = Record;

    async fn attempt(&self, shot: Shot<'_>, args: &Text) -> Answer<Record> {
        let request = Request::post("/pay").header("Idempotency-Key", shot.names().token("pay"));
        let mark = shot.names().mark();
        shot.send(request.form([("text", Some(args.text.clone())), ("mark", Some(mark))]), Answer::Happened).await
    }
}

/// With a mark; no key.
pub(crate) struct Send;

impl Cell for Send {
    const SPEC: &'static CellSpec = &SEND;
    type Args = Text;
    type Receipt = Record;

    async fn attempt(&self, shot: Shot<'_>, args: &Text) -> Answer<Record> {
        let form = [("text", Some(args.text.clone())), ("mark", Some(shot.names().mark()))];
        shot.send(Request::post("/send").form(form), Answer::Happened).await
    }

    async fn find(&self, cx: &Context, _: &Text) -> Result<Finding<Record>, Fault> {
        let mark = cx.names().mark();
        search(cx, "send", move |record| record.mark == mark).await
    }

    async fn fetch(&self, cx: &Context, _: &Text, id: &str) -> Result<Option<Record>, Fault> {
        cx.get(Request::get(format!("/records/{id}"))).await
    }
}

/// With neither: what is found only looks like ours.
pub(crate) struct Post;

impl Cell for Post {
    const SPEC: &'static CellSpec = &POST;
    type Args = Text;
    type Receipt = Record;

    async fn attempt(&self, shot: Shot<'_>, args: &Text) -> Answer<Record> {
        shot.send(Request::post("/post").form([("text", Some(args.text.clone()))]), Answer::Happened).await
    }

    async fn find(&self, cx: &Context, args: &Text) -> Result<Finding<Record>, Fault> {
        let text = args.text.clone();
        search(cx, "post", move |record| record.text == text).await
    }

    async fn fetch(&self, cx: &Context, _: &Text, id: &str) -> Result<Option<Record>, Fault> {
        cx.get(Request::get(format!("/records/{id}"))).await
    }
}

async fn search(
    cx: &Context,
    kind: &str,
    is_ours: impl Fn(&Record) -> bool + Sync + std::marker::Send,
) -> Result<Finding<Record>, Fault> {
    let first = Request::get("/records").query("kind", kind);
    let hits = cx
        .search(first.clone(), |list: List, _| {
            let next = list.has_more.then(|| first.clone().query("skip", list.next.to_string()));
            Ok(Page { next, hits: list.data.into_iter().filter(|record| is_ours(record)).collect() })
        })
        .await?;
    Ok(found(hits))
}
