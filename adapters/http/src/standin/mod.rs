//! A provider made from a declaration: it behaves as the declaration says, and no better.
//!
//! Where the declaration is silent it does what is worst among what it allows: keys are forgotten at the end of their
//! life, both of two twins pass, a lagging look lags as long as it may. Effects have the cell's name as kind, and what
//! the request said as metadata.

mod answer;
mod route;
mod rules;

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hapax_standin::{
    Admission, Collection, Effect, KeyStore, PathParams, Permit, Provider, Record, Reply, Request, Routed, Router,
    Server, Twists, World,
};
use serde_json::Value;

use crate::cell::DeclaredCell;
use crate::declaration::CellDeclaration;
use crate::integration::DeclaredIntegration;
use crate::template::OWN;
use crate::{Declared, Problem};
use answer::Answers;
#[cfg(feature = "prove")]
pub(crate) use route::pattern;
use route::{Route, Sites};
use rules::Rules;

/// A provider in memory.
pub struct StandIn {
    integration: Arc<DeclaredIntegration>,
    world: World,
    routes: Router<Route>,
    cells: Vec<Played>,
    made: Mutex<Collection<Made>>,
    careless: bool,
}

/// One cell as it is played.
struct Played {
    cell: Arc<DeclaredCell>,
    name: String,
    sites: Sites,
    rules: Rules,
    answers: Answers,
    keys: Option<KeyStore>,
    /// What a request says that is refused.
    refused: BTreeMap<String, Value>,
}

/// What a request made.
#[derive(Clone, Debug)]
struct Made {
    /// One for each, whatever is shown.
    id: String,
    /// The id that is shown: the request's, or the same.
    shown: String,
    cell: usize,
    created_ms: i64,
    /// What the request said, by the names of its templates.
    said: BTreeMap<String, Value>,
    body: Value,
}

impl Record for Made {
    fn id(&self) -> &str {
        &self.id
    }

    fn created_ms(&self) -> i64 {
        self.created_ms
    }
}

impl StandIn {
    /// A provider without any records.
    ///
    /// # Errors
    /// A [`Problem`] where something can't be played: a path that is more than names, for example.
    pub fn new(declared: &Declared, world: World) -> Result<Self, Problem> {
        let mut routes = Router::new();
        let mut cells = Vec::new();
        let written = declared.written().cells.values();
        for (number, (cell, written)) in declared.integration.cells.iter().zip(written).enumerate() {
            let at = |why: String| declared.problem(&written.request.path.span(), why);
            let pattern = route::pattern(&cell.request.path).map_err(at)?;
            routes = routes.on(cell.request.method.as_str(), &pattern, Route::Act(number));
            if let Some(look) = &cell.look {
                let pattern = route::pattern(&look.path).map_err(at)?;
                if !matches!(routes.find("GET", &pattern), Routed::Found(..)) {
                    routes = routes.on("GET", &pattern, Route::Look(number));
                }
            }
            if let Some(record) = &cell.record {
                let pattern = route::pattern(record).map_err(at)?;
                if !matches!(routes.find("GET", &pattern), Routed::Found(..)) {
                    routes = routes.on("GET", &pattern, Route::Show(number));
                }
            }
            let (rules, sites) = (Rules::of(cell.spec), Sites::of(&cell.request));
            let sent = cell.request.names();
            if let Some(unread) = OWN.iter().find(|name| sent.iter().any(|sent| sent == *name) && !sites.know(name)) {
                let why =
                    format!("`{unread}` can't be played: let it stand alone in a text, with fixed words around it");
                return Err(at(why));
            }
            cells.push(Played {
                name: cell.spec.id.split('.').nth(1).unwrap_or(cell.spec.id).to_owned(),
                sites,
                answers: Answers::of(cell, &declared.integration.errors).map_err(at)?,
                keys: rules.keys(&world),
                refused: refused(declared, written)?,
                rules,
                cell: cell.clone(),
            });
        }
        if let Some((path, _)) = &declared.integration.whoami {
            routes = routes.on("GET", path, Route::WhoAmI);
        }
        Ok(Self {
            integration: declared.integration.clone(),
            world,
            routes,
            cells,
            made: Mutex::default(),
            careless: false,
        })
    }

    /// Lists show everything, whatever they are asked for, and the newest first: what is ours is told by what it holds.
    #[cfg(feature = "prove")]
    pub(crate) fn careless(self) -> Self {
        Self { careless: true, ..self }
    }

    /// Serves on 127.0.0.1; port 0 takes a free one.
    ///
    /// # Errors
    /// The port can't be had.
    pub async fn serve(self, port: u16) -> io::Result<Server> {
        let world = self.world.clone();
        Server::start(Arc::new(self), world, port).await
    }

    fn made(&self) -> MutexGuard<'_, Collection<Made>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn act(
        &self,
        number: usize,
        request: &Request,
        params: &PathParams,
        twists: &Twists,
    ) -> Result<Reply, Reply> {
        let played = &self.cells[number];
        let said = played.sites.read(request, params);
        let permit = match (&played.keys, played.rules.token(&said)) {
            (Some(keys), Some(key)) if !twists.key_ignored() => Some(self.admitted(played, keys, &key, request)?),
            _ => None,
        };
        // Where both of two may pass, a request doesn't see what was made since it came.
        let sees = if played.rules.both_may_pass() { self.made().len() } else { usize::MAX };
        twists.before_effect().await;
        let is_refused =
            !played.refused.is_empty() && played.refused.iter().all(|(name, value)| said.get(name) == Some(value));
        let reply = match twists.stored_error() {
            None if is_refused => played.answers.refused(),
            None => self.happen(number, &said, twists, sees),
            Some((status, happens)) => {
                if happens {
                    self.happen(number, &said, twists, sees);
                }
                played.answers.error(status, None)
            }
        };
        twists.after_effect().await;
        if let Some(permit) = permit {
            permit.store(&reply);
        }
        Ok(reply)
    }

    fn admitted(&self, played: &Played, keys: &KeyStore, key: &str, request: &Request) -> Result<Permit, Reply> {
        let endpoint = format!("{} {}", request.method, request.path);
        match keys.admit("", key, &endpoint, &request.parameters()) {
            Admission::Run(permit) => Ok(permit),
            Admission::Replay(reply) => Err(played.answers.repeated(&played.rules, reply)),
            Admission::InUse => Err(played.answers.in_use()),
            Admission::OtherParameters | Admission::OtherEndpoint(_) => Err(played.answers.taken()),
        }
    }

    /// Does what the request says, unless its token is spent by one of the records that it sees.
    fn happen(&self, number: usize, said: &BTreeMap<String, Value>, twists: &Twists, sees: usize) -> Reply {
        let played = &self.cells[number];
        let mut made = self.made();
        let spent = |known: &&Made| known.cell == number && played.rules.is_spent_by(&known.said, said);
        if let Some(known) = made.iter().take(sees).find(spent)
            && !twists.uniqueness_ignored()
        {
            let reply = played.answers.success(&known.body);
            return played.answers.repeated(&played.rules, reply);
        }
        let fresh = self.world.ids.next(&played.name, 12);
        let mut said = said.clone();
        // A provider that takes no notice of a taken id makes one of its own, as it does where there is none.
        let is_taken = said.contains_key("id") && made.iter().any(|known| spent(&known));
        if twists.uniqueness_ignored() && is_taken {
            said.insert("id".to_owned(), Value::from(fresh.as_str()));
        }
        let id = said.get("id").and_then(crate::select::as_text).unwrap_or_else(|| fresh.clone());
        let body = played.answers.body(&id, &said);
        let id = played.answers.id_in(&body).unwrap_or(id);
        let metadata =
            said.iter().map(|(name, value)| (name.clone(), crate::select::as_text(value).unwrap_or_default()));
        let now_ms = self.world.now_ms();
        self.world.effects.add(Effect {
            kind: played.name.clone(),
            object: id.clone(),
            token: played.rules.token(&said),
            metadata: metadata.collect(),
            at_ms: now_ms,
            ..Effect::default()
        });
        let reply = played.answers.success(&body);
        made.add(Made { id: fresh, shown: id, cell: number, created_ms: now_ms, said, body });
        reply
    }

    fn look(&self, number: usize, request: &Request, params: &PathParams, twists: &Twists) -> Reply {
        let played = &self.cells[number];
        let Some(look) = &played.cell.look else { return played.answers.error(404, None) };
        let made = self.made();
        let (lag_ms, horizon_ms) = played.rules.sees();
        let asked = route::asked(look, request, params);
        let fits = |record: &Made| {
            asked.iter().all(|(name, value)| {
                record.said.get(name).and_then(crate::select::as_text).is_none_or(|said| said == *value)
            })
        };
        let mut shown = made.list(self.world.now_ms(), twists).lagging_ms(lag_ms);
        if let Some(ms) = horizon_ms {
            shown = shown.horizon_ms(ms);
        }
        let is_list = look.hits.is_some();
        let shown = shown.filter(|record| record.cell == number && ((self.careless && is_list) || fits(record)));
        let shown = if self.careless { shown.reversed() } else { shown };
        played.answers.found(look, request, shown)
    }

    fn show(&self, number: usize, params: &PathParams) -> Reply {
        let made = self.made();
        let id = params.get("id");
        match made.iter().find(|known| known.cell == number && known.shown == id) {
            Some(known) => Reply::json(200, &known.body),
            None => self.cells[number].answers.error(404, None),
        }
    }
}

#[async_trait::async_trait]
impl Provider for StandIn {
    async fn handle(&self, request: &Request, twists: &Twists) -> Reply {
        if let Some((header, _)) = &self.integration.authorization
            && request.header(header).is_none()
        {
            return self.error(401, None);
        }
        match self.routes.find(&request.method, &request.path) {
            Routed::Found(Route::Act(number), params) => {
                self.act(*number, request, &params, twists).await.unwrap_or_else(|refused| refused)
            }
            Routed::Found(Route::Look(number), params) => self.look(*number, request, &params, twists),
            Routed::Found(Route::Show(number), params) => self.show(*number, &params),
            Routed::Found(Route::WhoAmI, _) => answer::who_am_i(self.integration.whoami.as_ref()),
            Routed::OtherMethod(_) => self.error(405, None),
            Routed::Unknown => self.error(404, None),
        }
    }

    fn error(&self, status: u16, code: Option<&str>) -> Reply {
        answer::error(&self.integration.errors, status, code)
    }

    fn reset(&self) {
        self.made().clear();
        self.cells.iter().filter_map(|played| played.keys.as_ref()).for_each(KeyStore::reset);
    }
}

/// What the example says that the API refuses.
fn refused(declared: &Declared, written: &CellDeclaration) -> Result<BTreeMap<String, Value>, Problem> {
    let Some(refused) = written.example.as_ref().and_then(|example| example.refused.as_ref()) else {
        return Ok(BTreeMap::new());
    };
    let at = |why: String| declared.problem(&refused.span(), why);
    serde_json::to_value(refused.get_ref())
        .and_then(serde_json::from_value)
        .map_err(|_| at("refused is a table of arguments and their values".to_owned()))
}

/// An error as the provider answers it.
#[cfg(feature = "prove")]
pub(crate) fn error(declared: &Declared, status: u16) -> Reply {
    answer::error(&declared.integration.errors, status, None)
}

/// What makes an answer speak of something else.
#[cfg(feature = "prove")]
pub(crate) fn foreign(cell: &DeclaredCell) -> Value {
    answer::foreign(cell)
}

impl std::fmt::Debug for StandIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StandIn").field("name", &self.integration.name).finish_non_exhaustive()
    }
}
