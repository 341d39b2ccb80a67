//! Issues and comments.

use hapax_standin::{Context, Reply};
use serde_json::Value;

use super::fail::Fail;
use super::repo::{Comment, Issue};
use super::{GitHub, effect, page, repository, since_ms, text};

pub(super) fn create(context: &mut Context<'_, GitHub>) -> Result<(u16, Value), Fail> {
    let repository = repository(context);
    let title = text(context, "title").ok_or_else(|| Fail::invalid("Issue", "title", "missing_field"))?;
    let (labels, assignees) = (names(context, "labels"), names(context, "assignees"));
    if assignees.iter().any(|login| login == "nobody") {
        return Err(Fail::invalid("Issue", "assignees", "invalid"));
    }
    let may_push = context.state.may_push;
    let kept = |names: Vec<String>| if may_push { names } else { Vec::new() };
    let (body, now_ms) = (text(context, "body").map(str::to_owned), context.now_ms);
    let repo = context.state.repo(&repository)?;
    let issue = Issue {
        id: repo.next_number(),
        repository: repository.clone(),
        title: title.to_owned(),
        body,
        labels: kept(labels),
        assignees: kept(assignees),
        is_pull: false,
        closed: None,
        was_reopened: false,
        created_ms: now_ms,
        updated_ms: now_ms,
    };
    let issue = repo.add_issue(issue);
    let object = format!("{repository}#{}", issue.id);
    let (value, made) = (issue.value(), effect("issue", &object, issue.body.as_deref(), &[("title", &issue.title)]));
    context.effect(made);
    Ok((201, value))
}

/// By creation, newest first if not said, as far as they were updated since.
pub(super) fn list(context: &mut Context<'_, GitHub>) -> Result<Reply, Fail> {
    let repository = repository(context);
    context.state.repo(&repository)?;
    let since = since_ms(context.request.param("since"));
    let issues = &context.state.repos[&repository.to_ascii_lowercase()].issues;
    let listing = context.list(issues).filter(|issue| since.is_none_or(|since| issue.updated_ms >= since));
    let is_oldest_first = context.request.param("direction") == Some("asc");
    let listing = if is_oldest_first { listing } else { listing.reversed() };
    Ok(page(context, listing, Issue::value))
}

pub(super) fn show(context: &mut Context<'_, GitHub>) -> Result<Value, Fail> {
    let (repository, number) = (repository(context), context.path("number"));
    context.state.repo(&repository)?.issues.get(&number).map(Issue::value).ok_or_else(Fail::missing)
}

pub(super) fn create_comment(context: &mut Context<'_, GitHub>) -> Result<(u16, Value), Fail> {
    let (repository, number) = (repository(context), context.path("number"));
    let body = text(context, "body").ok_or_else(|| Fail::invalid("IssueComment", "body", "missing_field"))?;
    let (id, now_ms) = (context.world.ids.number().to_string(), context.now_ms);
    let repo = context.state.repo(&repository)?;
    let issue = repo.issues.get_mut(&number).ok_or_else(Fail::missing)?;
    issue.updated_ms = now_ms;
    let comment = Comment { id, repository, issue: number, body: body.to_owned(), created_ms: now_ms };
    let about = format!("{}#{}", comment.repository, comment.issue);
    let made = effect("comment", &comment.id, Some(&comment.body), &[("issue", &about)]);
    let value = repo.comments.add(comment).value();
    context.effect(made);
    Ok((201, value))
}

/// By ascending id.
pub(super) fn list_comments(context: &mut Context<'_, GitHub>) -> Result<Reply, Fail> {
    let (repository, number) = (repository(context), context.path("number"));
    if !context.state.repo(&repository)?.issues.contains(&number) {
        return Err(Fail::missing());
    }
    let since = since_ms(context.request.param("since"));
    let comments = &context.state.repos[&repository.to_ascii_lowercase()].comments;
    let listing = context.list(comments).filter(|comment| comment.issue == number);
    let listing = listing.filter(|comment| since.is_none_or(|since| comment.created_ms >= since));
    Ok(page(context, listing, Comment::value))
}

pub(super) fn show_comment(context: &mut Context<'_, GitHub>) -> Result<Value, Fail> {
    let (repository, id) = (repository(context), context.path("id"));
    context.state.repo(&repository)?.comments.get(&id).map(Comment::value).ok_or_else(Fail::missing)
}

fn names(context: &Context<'_, GitHub>, field: &str) -> Vec<String> {
    let list = context.request.json_at(&format!("/{field}")).as_array();
    list.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect()
}
