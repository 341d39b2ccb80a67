//! Pull requests: opened, and merged once.

use hapax_standin::{Context, Reply};
use serde_json::{Value, json};

use super::fail::Fail;
use super::repo::{Closing, Issue, Pull, State, sha};
use super::{GitHub, effect, page, repository, text};

pub(super) fn create(context: &mut Context<'_, GitHub>) -> Result<(u16, Value), Fail> {
    let repository = repository(context);
    let needed = |field| text(context, field).ok_or_else(|| Fail::invalid("PullRequest", field, "missing_field"));
    let (title, head, base) = (needed("title")?.to_owned(), needed("head")?, needed("base")?.to_owned());
    check_branches(head, &base)?;
    let owner = repository.split_once('/').map_or("", |(owner, _)| owner);
    let head = if head.contains(':') { head.to_owned() } else { format!("{owner}:{head}") };
    let (body, now_ms) = (text(context, "body").map(str::to_owned), context.now_ms);
    let draft = *context.request.json_at("/draft") == true;
    let repo = context.state.repo(&repository)?;
    if repo.pulls.iter().any(|pull| pull.state == State::Open && pull.head == head && pull.base == base) {
        return Err(Fail::custom("PullRequest", format!("A pull request already exists for {head}.")));
    }
    let id = repo.next_number();
    repo.add_issue(Issue {
        id: id.clone(),
        repository: repository.clone(),
        title: title.clone(),
        body: body.clone(),
        labels: Vec::new(),
        assignees: Vec::new(),
        is_pull: true,
        closed: None,
        was_reopened: false,
        created_ms: now_ms,
        updated_ms: now_ms,
    });
    let object = format!("{repository}#{id}");
    let made = effect("pull_request", &object, body.as_deref(), &[("head", &head), ("base", &base)]);
    let (state, head_sha) = (State::Open, sha(&head));
    let pull = Pull { id, repository, title, body, head, head_sha, base, draft, state, created_ms: now_ms };
    let value = repo.pulls.add(pull).value();
    context.effect(made);
    Ok((201, value))
}

fn check_branches(head: &str, base: &str) -> Result<(), Fail> {
    for (field, branch) in [("head", head), ("base", base)] {
        if branch.starts_with("missing") {
            return Err(Fail::invalid("PullRequest", field, "invalid"));
        }
    }
    if head == base || head.starts_with("same") {
        return Err(Fail::custom("PullRequest", format!("No commits between {base} and {head}")));
    }
    Ok(())
}

/// By creation, newest first if not said.
pub(super) fn list(context: &mut Context<'_, GitHub>) -> Result<Reply, Fail> {
    let repository = repository(context);
    context.state.repo(&repository)?;
    let is_open_only = context.request.param("state").is_none_or(|state| state == "open");
    let pulls = &context.state.repos[&repository.to_ascii_lowercase()].pulls;
    let listing = context.list(pulls).filter(|pull| !is_open_only || pull.state == State::Open);
    let listing = if context.request.param("direction") == Some("asc") { listing } else { listing.reversed() };
    Ok(page(context, listing, Pull::value))
}

pub(super) fn show(context: &mut Context<'_, GitHub>) -> Result<Value, Fail> {
    let (repository, number) = (repository(context), context.path("number"));
    context.state.repo(&repository)?.pulls.get(&number).map(Pull::value).ok_or_else(Fail::missing)
}

pub(super) fn merge(context: &mut Context<'_, GitHub>) -> Result<Value, Fail> {
    let (repository, number) = (repository(context), context.path("number"));
    let wanted = text(context, "sha").map(str::to_owned);
    let pull = context.state.repo(&repository)?.pulls.get_mut(&number).ok_or_else(Fail::missing)?;
    if !pull.is_mergeable() {
        return Err(Fail::new(405, "Pull Request is not mergeable"));
    }
    if wanted.is_some_and(|wanted| wanted != pull.head_sha) {
        return Err(Fail::new(409, "Head branch was modified. Review and try the merge again."));
    }
    pull.state = State::Merged;
    let made = effect("merge", &format!("{repository}#{number}"), None, &[("sha", &pull.head_sha)]);
    let value = json!({ "sha": pull.merge_sha(), "merged": true, "message": "Pull Request successfully merged" });
    if let Some(issue) = context.state.repo(&repository)?.issues.get_mut(&number) {
        issue.close(Closing { reason: None, at_ms: context.now_ms });
    }
    context.effect(made);
    Ok(value)
}
