//! A stand-in for GitHub: issues, comments, pull requests, releases and runs of workflows.
//!
//! It behaves as `FAILURE_MODES.md` says, keeps its state in memory, counts what happened and can be told to break.
//! Effects are of the kinds `issue`, `close`, `comment`, `pull_request`, `merge`, `release` and `run`.
//!
//! Every repository is there but those named `missing`. Branches whose names begin with `missing` are not there,
//! `same` has nothing to merge, and what begins with `conflict` can't be merged. `missing.yml` is no workflow,
//! `plain.yml` takes no inputs, `silent.yml` doesn't show its input `hapax`, and all others do.

mod actions;
mod close_issue;
mod fail;
mod issues;
mod pulls;
mod releases;
mod repo;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io;

use fail::{Fail, usual};
use hapax_standin::{
    AllowList, Api, Beyond, Context, Effect, Listing, PageSize, RateLimit, Record, Reply, Request, Routes, Server,
    Service, World,
};
use jiff::Timestamp;
use repo::Repo;
use serde_json::{Value, json};

/// Credentials that a stand-in accepts, by field.
pub const CREDENTIALS: &[(&str, &str)] = &[("token", "standin")];

/// Who everybody is here.
const LOGIN: &str = "octocat";
const HOUR_MS: i64 = 3_600_000;
const SIZE: PageSize = PageSize { usual: 30, most: 100, beyond: Beyond::Clamped };

/// Serves a stand-in with the machine's clock on 127.0.0.1; port 0 takes a free one.
///
/// # Errors
/// The port can't be had.
pub async fn serve(port: u16) -> io::Result<Server> {
    StandIn::new(World::new(1)).serve(port).await
}

/// GitHub in memory. Clones are the same one.
#[derive(Clone, Debug)]
pub struct StandIn(Service<GitHub>);

struct GitHub {
    tokens: AllowList<String>,
    may_push: bool,
    requests_per_hour: Option<RateLimit>,
    repos: HashMap<String, Repo>,
}

impl StandIn {
    /// A stand-in with empty repositories. It accepts every token but `wrong`, until one is named.
    pub fn new(world: World) -> Self {
        let (tokens, repos) = (AllowList::default(), HashMap::new());
        Self(Service::new(world, GitHub { tokens, may_push: true, requests_per_hour: None, repos }))
    }

    /// Accepts this token, and from then on only those that were named.
    pub fn accepts(self, token: &str) -> Self {
        self.0.state().tokens.allow(token.to_owned());
        self
    }

    /// Nobody has push access: labels and assignees are dropped in silence.
    pub fn without_push(self) -> Self {
        self.0.state().may_push = false;
        self
    }

    /// More requests than this within an hour of the provider's time are answered 403.
    pub fn requests_per_hour(self, most: usize) -> Self {
        self.0.state().requests_per_hour = Some(RateLimit::new(most, HOUR_MS));
        self
    }

    /// Serves on 127.0.0.1; port 0 takes a free one. Keep a clone to act by hand.
    ///
    /// # Errors
    /// The port can't be had.
    pub async fn serve(self, port: u16) -> io::Result<Server> {
        self.0.serve(port).await
    }

    /// Pushes to the head of a pull request and returns the new commit; none if there is no such pull request.
    pub fn push(&self, repository: &str, number: u64) -> Option<String> {
        self.0.state().pull(repository, number).map(repo::Pull::push)
    }

    /// Closes a pull request without merging it. False if there is no such pull request.
    pub fn close(&self, repository: &str, number: u64) -> bool {
        self.0.state().pull(repository, number).map(repo::Pull::close).is_some()
    }
}

impl GitHub {
    /// The repository in the path.
    fn repo(&mut self, context: &str) -> Result<&mut Repo, Fail> {
        if context.ends_with("/missing") {
            return Err(Fail::missing());
        }
        Ok(self.repos.entry(context.to_ascii_lowercase()).or_default())
    }

    fn pull(&mut self, repository: &str, number: u64) -> Option<&mut repo::Pull> {
        self.repo(repository).ok()?.pulls.get_mut(&number.to_string())
    }
}

impl Api for GitHub {
    fn routes() -> Routes<Self> {
        Routes::new()
            .get("/user", |_| Ok::<Value, Fail>(json!({ "login": LOGIN, "id": 1, "type": "User" })))
            .get("/repos/{owner}/{repo}/issues", issues::list)
            .post("/repos/{owner}/{repo}/issues", issues::create)
            .get("/repos/{owner}/{repo}/issues/{number}", issues::show)
            .acting("PATCH", "/repos/{owner}/{repo}/issues/{number}", close_issue::update)
            .get("/repos/{owner}/{repo}/issues/{number}/comments", issues::list_comments)
            .post("/repos/{owner}/{repo}/issues/{number}/comments", issues::create_comment)
            .get("/repos/{owner}/{repo}/issues/comments/{id}", issues::show_comment)
            .get("/repos/{owner}/{repo}/pulls", pulls::list)
            .post("/repos/{owner}/{repo}/pulls", pulls::create)
            .get("/repos/{owner}/{repo}/pulls/{number}", pulls::show)
            .acting("PUT", "/repos/{owner}/{repo}/pulls/{number}/merge", pulls::merge)
            .get("/repos/{owner}/{repo}/releases", releases::list)
            .post("/repos/{owner}/{repo}/releases", releases::create)
            .get("/repos/{owner}/{repo}/releases/{id}", releases::show)
            .post("/repos/{owner}/{repo}/actions/workflows/{workflow}/dispatches", actions::dispatch)
            .get("/repos/{owner}/{repo}/actions/workflows/{workflow}/runs", actions::list)
            .get("/repos/{owner}/{repo}/actions/runs/{id}", actions::show)
    }

    fn error(status: u16, code: Option<&str>) -> Reply {
        usual(status, code)
    }

    fn admit(&mut self, request: &Request, world: &World) -> Result<String, Reply> {
        let token = request.bearer().filter(|token| *token != "wrong" && self.tokens.allows(&(*token).to_owned()));
        let Some(token) = token else { return Err(Fail::new(401, "Bad credentials").into()) };
        if request.header("x-github-api-version").is_some_and(|version| version != "2022-11-28") {
            return Err(Fail::new(400, "That version of the API is not supported").into());
        }
        match self.requests_per_hour.as_mut().map(|limit| limit.take(token, world.now_ms())) {
            Some(Err(_)) => Err(fail::over_the_limit(403)),
            _ => Ok(LOGIN.to_owned()),
        }
    }

    fn finish(&mut self, reply: Reply, _request: &Request, world: &World) -> Reply {
        reply.with_header("x-github-request-id", &world.ids.hex(8))
    }

    fn reset(&mut self) {
        self.repos.clear();
        self.requests_per_hour.iter_mut().for_each(RateLimit::reset);
    }
}

/// `owner/repo` of the path.
fn repository(context: &Context<'_, GitHub>) -> String {
    format!("{}/{}", context.path("owner"), context.path("repo"))
}

/// One page of a list, with where its neighbours are.
fn page<T: Record>(context: &Context<'_, GitHub>, listing: Listing<'_, T>, value: impl Fn(&T) -> Value) -> Reply {
    let (values, link) = cut(context, listing, value);
    linked(Value::from(values).into(), link)
}

fn cut<T: Record>(
    context: &Context<'_, GitHub>,
    listing: Listing<'_, T>,
    value: impl Fn(&T) -> Value,
) -> (Vec<Value>, Option<String>) {
    let size = SIZE.read(context.request.param("per_page")).unwrap_or(SIZE.usual);
    let number = context.request.param("page").and_then(|page| page.parse().ok()).unwrap_or(1);
    let page = listing.numbered(number, size);
    (page.values(value), page.link_header(context.request, "page"))
}

fn linked(reply: Reply, link: Option<String>) -> Reply {
    match link {
        Some(link) => reply.with_header("link", &link),
        None => reply,
    }
}

/// A time as GitHub writes it.
fn written(ms: i64) -> String {
    Timestamp::from_millisecond(ms).unwrap_or_default().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A time out of a filter, in milliseconds; none if it is none.
fn since_ms(text: Option<&str>) -> Option<i64> {
    text?.parse::<Timestamp>().ok().map(|time| time.as_millisecond())
}

/// What is counted, with the mark in its body and what else tells it from others.
fn effect(kind: &str, object: &str, body: Option<&str>, about: &[(&str, &str)]) -> Effect {
    let mark = body.and_then(|body| Some(body.rsplit_once("<!-- hapax:")?.1.split_once(" -->")?.0));
    let about = about.iter().copied().chain(mark.map(|mark| ("hapax", mark)));
    let metadata = about.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Effect { kind: kind.to_owned(), object: object.to_owned(), metadata, ..Effect::default() }
}

/// A text of the body that is not empty.
fn text<'a>(context: &Context<'a, GitHub>, name: &str) -> Option<&'a str> {
    let request: &'a Request = context.request;
    request.json_at(&format!("/{name}")).as_str().filter(|text| !text.is_empty())
}
