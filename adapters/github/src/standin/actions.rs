//! Workflows: every dispatch starts a run, whose name shows the input `hapax` unless the workflow is silent.

use hapax_standin::{Context, Reply};
use serde_json::{Value, json};

use super::fail::Fail;
use super::repo::Run;
use super::{GitHub, cut, effect, linked, repository, since_ms, text};

/// Runs that a filtered list shows at most.
const MOST: usize = 1_000;

pub(super) fn dispatch(context: &mut Context<'_, GitHub>) -> Result<Reply, Fail> {
    let (repository, workflow) = (repository(context), context.path("workflow"));
    if workflow == "missing.yml" {
        return Err(Fail::missing());
    }
    let git_ref = text(context, "ref").ok_or_else(|| Fail::new(422, "Invalid request.\n\n\"ref\" wasn't supplied."))?;
    if git_ref.starts_with("missing") {
        return Err(Fail::new(422, format!("No ref found for: {git_ref}")));
    }
    let inputs = context.request.json_at("/inputs").as_object();
    if workflow == "plain.yml" && inputs.is_some_and(|inputs| !inputs.is_empty()) {
        return Err(Fail::new(422, "Unexpected inputs provided"));
    }
    let mark = inputs.and_then(|inputs| inputs.get("hapax")).and_then(Value::as_str).unwrap_or_default();
    let title = if workflow == "silent.yml" { "Deploy".to_owned() } else { format!("Deploy ({mark})") };
    let (id, created_ms) = (context.world.ids.number().to_string(), context.now_ms);
    let made = effect("run", &id, None, &[("hapax", mark), ("ref", git_ref), ("workflow", &workflow)]);
    let is_detailed = *context.request.json_at("/return_run_details") == true;
    let runs = &mut context.state.repo(&repository)?.runs;
    let run = runs.add(Run { id, repository, workflow, title, created_ms });
    let (run_url, html_url) = run.urls();
    let id = run.id.parse::<u64>().unwrap_or_default();
    context.effect(made);
    let started = json!({ "workflow_run_id": id, "run_url": run_url, "html_url": html_url });
    Ok(if is_detailed { started.into() } else { Reply::empty(204) })
}

/// Newest first. Filtered, it ends after a thousand.
pub(super) fn list(context: &mut Context<'_, GitHub>) -> Result<Reply, Fail> {
    let (repository, workflow) = (repository(context), context.path("workflow"));
    context.state.repo(&repository)?;
    let created = context.request.param("created").and_then(|range| range.strip_prefix(">="));
    let (since, is_filtered) = (since_ms(created), created.is_some() || context.request.param("event").is_some());
    let runs = &context.state.repos[&repository.to_ascii_lowercase()].runs;
    let listing = context.list(runs).filter(|run| run.workflow == workflow);
    let listing = listing.filter(|run| since.is_none_or(|since| run.created_ms >= since)).reversed();
    let total = listing.clone().all().len();
    let total = if is_filtered { total.min(MOST) } else { total };
    let (values, link) = cut(context, listing, Run::value);
    let last_shown: usize = context.request.param("page").and_then(|page| page.parse().ok()).unwrap_or(1) * 100;
    let link = link.filter(|_| !is_filtered || last_shown < MOST);
    Ok(linked(json!({ "total_count": total, "workflow_runs": values }).into(), link))
}

pub(super) fn show(context: &mut Context<'_, GitHub>) -> Result<Value, Fail> {
    let (repository, id) = (repository(context), context.path("id"));
    context.state.repo(&repository)?.runs.get(&id).map(Run::value).ok_or_else(Fail::missing)
}
