//! Releases: published ones are unique by tag, drafts are not.

use hapax_standin::{Context, Reply};
use serde_json::Value;

use super::fail::Fail;
use super::repo::Release;
use super::{GitHub, effect, page, repository, text};

pub(super) fn create(context: &mut Context<'_, GitHub>) -> Result<(u16, Value), Fail> {
    let repository = repository(context);
    let tag = text(context, "tag_name").ok_or_else(|| Fail::invalid("Release", "tag_name", "missing_field"))?;
    if text(context, "target_commitish").is_some_and(|target| target.starts_with("missing")) {
        return Err(Fail::invalid("Release", "target_commitish", "invalid"));
    }
    let (name, body) = (text(context, "name").map(str::to_owned), text(context, "body").map(str::to_owned));
    let (id, draft) = (context.world.ids.number().to_string(), *context.request.json_at("/draft") == true);
    let (tag, created_ms) = (tag.to_owned(), context.now_ms);
    let releases = &mut context.state.repo(&repository)?.releases;
    if !draft && releases.iter().any(|release| !release.draft && release.tag == tag) {
        return Err(Fail::invalid("Release", "tag_name", "already_exists"));
    }
    let made = effect("release", &id, body.as_deref(), &[("tag", &tag)]);
    let value = releases.add(Release { id, repository, tag, name, body, draft, created_ms }).value();
    context.effect(made);
    Ok((201, value))
}

pub(super) fn list(context: &mut Context<'_, GitHub>) -> Result<Reply, Fail> {
    let repository = repository(context);
    context.state.repo(&repository)?;
    let (may_push, releases) =
        (context.state.may_push, &context.state.repos[&repository.to_ascii_lowercase()].releases);
    let listing = context.list(releases).reversed().filter(|release| may_push || !release.draft);
    Ok(page(context, listing, Release::value))
}

pub(super) fn show(context: &mut Context<'_, GitHub>) -> Result<Value, Fail> {
    let (repository, id) = (repository(context), context.path("id"));
    context.state.repo(&repository)?.releases.get(&id).map(Release::value).ok_or_else(Fail::missing)
}
