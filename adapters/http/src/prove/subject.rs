use std::sync::Arc;

use async_trait::async_trait;
use hapax_conformance::kit::{CellSubject, End, Routes, Sample, Site, Subject};
use hapax_core::capability::{Completion, Kind, Meaning, Native, Token, Twins};
use hapax_core::cell::{Credentials, SharedIntegration};
use hapax_core::transport::{Body, Request};
use hapax_standin::client::Call;
use hapax_standin::{Effect, Reply, Server, World};
use serde_json::{Map, Value};

use crate::cell::DeclaredCell;
use crate::declaration::CellDeclaration;
use crate::example::Example;
use crate::standin::{self, StandIn};
use crate::template::{Template, scope};
use crate::{Declared, Problem, keep};

const ONE_STATE: &str = "it is so once: a second intent that it be so is no second effect";
const UNSEEN: &str = "a state that is brought about twice looks as if it were once, so nobody could notice";
const NO_RECORD: &str = "the declaration says of no request that it reads one record, so nobody's word can be checked";
const NO_ECHO: &str = "the declaration says of nothing that an answer repeats it, so one about something else passes";
const NOT_APART: &str = "nothing of ours but the token is in the request, so equal ones can't be counted apart";
const OUR_ID: &str = "the look reads the record that has our id, so a second one under another id could not be noticed";
const ONE_RECORD: &str = "the look reads one record, so it can't see a second one";

/// A declaration as the kit sees it.
pub(super) struct DeclaredSubject {
    declared: Declared,
    cells: Vec<Arc<Played>>,
}

/// One cell, with what its example says.
struct Played {
    declared: Declared,
    cell: Arc<DeclaredCell>,
    name: &'static str,
    routes: Routes,
    example: Example,
    plants_a_mark: bool,
    lists: bool,
}

impl DeclaredSubject {
    pub(super) fn new(declared: &Declared) -> Result<Self, Problem> {
        // What can't be played is said before anything is.
        StandIn::new(declared, World::new(1))?;
        let cells = declared.integration.cells.iter().zip(declared.written().cells.values());
        let cells = cells.map(|(cell, written)| Played::new(declared, cell, written).map(Arc::new));
        Ok(Self { declared: declared.clone(), cells: cells.collect::<Result<_, _>>()? })
    }

    fn credentials(&self, of: &str) -> Credentials {
        let fields = self.declared.integration.credentials.iter();
        fields.fold(Credentials::none(), |known, field| known.with(field.name, format!("{of}-{}", field.name).into()))
    }
}

#[async_trait]
impl Subject for DeclaredSubject {
    fn integration(&self) -> SharedIntegration {
        self.declared.integration()
    }

    fn credentials(&self) -> Credentials {
        self.credentials("first")
    }

    fn rotated(&self) -> Credentials {
        self.credentials("second")
    }

    fn met(&self) -> Vec<String> {
        let cells = self.declared.integration.cells.iter();
        cells.flat_map(|cell| cell.spec.published().1).map(|need| need.words().to_owned()).collect()
    }

    async fn start(&self, world: World) -> std::io::Result<Server> {
        let stand_in = StandIn::new(&self.declared, world).map_err(std::io::Error::other)?.careless();
        stand_in.serve(0).await
    }

    fn cells(&self) -> Vec<Arc<dyn CellSubject>> {
        self.cells.iter().map(|cell| cell.clone() as Arc<dyn CellSubject>).collect()
    }
}

impl Played {
    fn new(declared: &Declared, cell: &Arc<DeclaredCell>, written: &CellDeclaration) -> Result<Self, Problem> {
        let name = cell.spec.id.split('.').nth(1).unwrap_or(cell.spec.id);
        let look = cell.look.as_ref().map(|look| ("GET", keep::text(format!("{}*", star(&look.path)))));
        Ok(Self {
            declared: declared.clone(),
            name,
            routes: Routes { shot: starred(cell), prepare: &[], look },
            example: Example::needed(declared, cell.spec.id, written)?,
            plants_a_mark: cell.request.names().iter().any(|name| name == "mark"),
            lists: cell.look.as_ref().is_some_and(|look| look.hits.is_some()),
            cell: cell.clone(),
        })
    }

    /// Sends what somebody else would, past hapax.
    async fn send(&self, site: &Site, args: &Value, who: &str) -> Result<(), String> {
        let own =
            [("key", format!("key-of-{who}")), ("id", format!("id-of-{who}")), ("mark", format!("mark-of-{who}"))];
        let request = self.cell.request.write(&scope(args, &own))?;
        let mut call = call(site, &request);
        if let Some((header, _)) = &self.declared.integration.authorization {
            call = call.header(header, "somebody else");
        }
        let reply = call.send().await.map_err(|error| error.to_string())?;
        if reply.status < 300 { Ok(()) } else { Err(format!("{who}: status {}", reply.status)) }
    }
}

/// Method and path of the request that counts, with `*` for what differs.
pub(super) fn starred(cell: &DeclaredCell) -> (&'static str, &'static str) {
    (cell.request.method.as_str(), keep::text(star(&cell.request.path)))
}

fn star(path: &Template) -> String {
    let pattern = standin::pattern(path).unwrap_or_default();
    pattern.split('/').map(|part| if part.starts_with('{') { "*" } else { part }).collect::<Vec<_>>().join("/")
}

fn call(site: &Site, request: &Request) -> Call {
    let mut call = Call::new(request.method.as_str(), &format!("{}{}", site.url, request.target()));
    for (name, value) in &request.headers {
        call = call.header(name, value);
    }
    match (&request.body, request.encoded()) {
        (Body::Json(json), _) => call.json(json),
        (_, Some((kind, bytes))) => call.header("content-type", &kind).body(bytes),
        (_, None) => call,
    }
}

#[async_trait]
impl CellSubject for Played {
    fn id(&self) -> &'static str {
        self.cell.spec.id
    }

    fn routes(&self) -> Routes {
        self.routes
    }

    async fn intent(&self, _: &Site, number: u64) -> Result<Sample, String> {
        Ok(Sample { args: self.example.intent(number)?, target: String::new() })
    }

    fn is_effect(&self, effect: &Effect, sample: &Sample, mark: &str) -> bool {
        if effect.kind != self.name {
            return false;
        }
        if self.plants_a_mark {
            return effect.metadata.get("mark").is_some_and(|known| known == mark);
        }
        let said = |name: &str, value: &Value| {
            effect
                .metadata
                .get(name)
                .is_none_or(|known| crate::select::as_text(value).is_some_and(|text| text == *known))
        };
        sample.args.as_object().into_iter().flatten().all(|(name, value)| said(name, value))
    }

    fn counts_apart(&self) -> bool {
        self.plants_a_mark
    }

    fn is_receipt_of(&self, receipt: &Value, effect: &Effect) -> bool {
        self.cell.receipt.id.is_none() || receipt["id"] == effect.object.as_str()
    }

    fn with_other_arguments(&self, sample: &Sample) -> Value {
        self.example.other(&sample.args)
    }

    fn refuses(&self) -> bool {
        self.example.refused(&Value::Null).is_some()
    }

    async fn refused_intent(&self, _: &Site, number: u64) -> Option<Result<Sample, String>> {
        let args = match self.example.intent(number) {
            Ok(args) => self.example.refused(&args)?,
            Err(why) => return Some(Err(why)),
        };
        Some(Ok(Sample { args, target: String::new() }))
    }

    fn foreign_members(&self) -> Map<String, Value> {
        standin::foreign(&self.cell).as_object().cloned().unwrap_or_default()
    }

    fn error_reply(&self, status: u16) -> Reply {
        standin::error(&self.declared, status)
    }

    fn clutters(&self) -> bool {
        self.lists
    }

    async fn clutter(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        // Others ask for something else; what is told by its content alone would be ours otherwise.
        let args = self.example.other(&sample.args);
        for number in 0..41 {
            if let Err(why) = self.send(site, &args, &format!("somebody-{number}")).await {
                return Some(Err(why));
            }
        }
        Some(Ok(()))
    }

    fn has_hands(&self) -> bool {
        true
    }

    async fn by_hand(&self, site: &Site, sample: &Sample) -> Option<Result<(), String>> {
        Some(self.send(site, &sample.args, "a-hand").await)
    }

    fn a_hand_satisfies(&self) -> bool {
        self.cell.spec.kind == Kind::BeSo
    }

    fn can_happen_twice(&self) -> bool {
        self.cell.spec.kind == Kind::DoOnce
    }

    fn skips(&self) -> Vec<(&'static str, &'static str)> {
        let mut skips = Vec::new();
        if self.cell.spec.kind == Kind::BeSo {
            skips.extend([("equal-intents", ONE_STATE), ("equal-intents-one-record", ONE_STATE)]);
            skips.push(("ignores-its-key", UNSEEN));
        } else if self.cell.record.is_none() {
            skips.extend([("witness", NO_RECORD), ("person-says-it-happened", NO_RECORD)]);
        }
        if self.cell.receipt.echo.is_empty() {
            skips.push(("foreign-object", NO_ECHO));
        }
        if !self.plants_a_mark && self.cell.spec.kind == Kind::DoOnce {
            skips.extend([("equal-intents", NOT_APART), ("look-finds-anothers", NOT_APART)]);
        }
        let wins = |native: &Native| matches!(native.token, Token::ClientId(_)) && native.twins == Twins::OneWins;
        if !self.lists && self.cell.spec.natives().any(wins) {
            skips.push(("ignores-its-key", OUR_ID));
        }
        if !self.lists {
            skips.push(("look-finds-two", ONE_RECORD));
        }
        skips
    }

    fn ends(&self) -> Vec<(&'static str, End)> {
        let guarantee = self.cell.spec.published().0;
        let mut open = Vec::new();
        // Three requests that may have done something are the most, unless a row says that they did nothing.
        if !self.cell.spec.answers.iter().any(|row| row.status == 429 && row.means == Meaning::NotDone) {
            open.push("429-storm");
        }
        if !guarantee.exceptions.is_empty() {
            open.extend(["502-before", "503-before", "504-before"]);
        }
        // A stored error is repeated to every request with the key, and there is nothing that could be asked.
        if self.cell.look.is_none() {
            open.push("stored-500-with-effect");
        }
        // Where nothing may go again by itself, what may have left is a person's.
        if guarantee.completion.rank() < Completion::AutomaticWithin(0).rank() {
            open.extend(["connection-refused", "connection-cut-at-once", "hangs-before", "ledger-writes-and-fails"]);
        }
        open.into_iter().map(|fault| (fault, End::Any)).collect()
    }
}
