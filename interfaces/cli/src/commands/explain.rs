//! `hapax explain`: everything about a cell.

mod rungs;

use hapax_core::capability::{
    CellSpec, Fate, Guarantee, Meaning, Row, Source, Stakes, Sure, TRANSPORT_ROWS, guarantee,
};
use hapax_core::cell::SharedCell;
use serde_json::{Value, json};

use super::intent::known_cell;
use super::matrix::{completion, second_effect};
use crate::config::{self, Config};
use crate::exit::{Exit, Failure};
use crate::open::Context;
use crate::output::{Output, Style};
use crate::report::duration;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which, such as stripe.charge
    cell: String,
    /// As it stands on this connection; on a plain one, if not said
    #[arg(long)]
    connection: Option<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let config = config::find_optional(context.config.as_deref())?;
    let cell = known_cell(&config.known, &args.cell)?;
    let meets = meets(args, &config)?;
    let spec = cell.spec();
    let promised = guarantee(spec, &|need| meets.iter().any(|met| met == need.words()), config.policy.likely_for(spec));
    print(&context.output, &cell, &promised);
    context.output.answer(Exit::Succeeded, &answer(&cell, &promised));
    Ok(Exit::Succeeded)
}

fn meets(args: &Args, config: &Config) -> Result<Vec<String>, Failure> {
    let Some(name) = &args.connection else { return Ok(Vec::new()) };
    let connection = config.connection(name).ok_or_else(|| {
        Failure::input("unknown-connection", format!("nothing was sent: there is no connection {name:?} in hapax.toml"))
    })?;
    Ok(connection.meets.clone())
}

fn print(output: &Output, cell: &SharedCell, promised: &Guarantee) {
    let spec = cell.spec();
    output.line(output.style(Style::Bold, &format!("{}: {}", spec.id, spec.summary)));
    output.line(promised.sentence());
    output.pair("no second", second_effect(promised));
    output.pair("lost reply", completion(promised.completion));
    for exception in &promised.exceptions {
        output.pair("except", format!("where {exception}: then a person decides"));
    }
    for rung in spec.ladder {
        output.pair("rests on", rungs::words(rung));
    }
    for need in spec.published().1 {
        output.pair("needs", need.words());
    }
    for belt in &promised.belts {
        output.pair("belt", format!("{belt} is sent along and not relied on"));
    }
    for assumed in &promised.assumes {
        output.pair("assumed", assumed);
    }
    output.pair("risk left", spec.residual);
    output.pair("stakes", stakes(spec.stakes));
    output.pair("reversal", spec.reversal);
    output.pair("afterwards", fate(spec.fate));
    output.pair("times", times(spec));
    output.pair("a person", format!("looks at {}", spec.human()));
    output.line(output.style(Style::Bold, "answers"));
    for row in rows(spec) {
        output.line(format!("  {:<6} {:<22} {:<32} {}", status(row), any(row.kind), any(row.code), meaning(row.means)));
    }
    output.line("  anything else says nothing: it is looked for, never taken for a failure");
    output.line(output.style(Style::Bold, "sources"));
    for source in sources(spec) {
        let checked = if source.checked.is_empty() { String::new() } else { format!(" {}", source.checked) };
        output.line(format!("  {}{checked} ({})", source.url, sure(source.sure)));
    }
    output.line(output.style(Style::Bold, "arguments (JSON Schema)"));
    output.line(serde_json::to_string_pretty(&cell.schema()).unwrap_or_default());
}

fn answer(cell: &SharedCell, promised: &Guarantee) -> Value {
    let spec = cell.spec();
    let answers = rows(spec).map(|row| {
        json!({ "status": row.status, "type": row.kind, "code": row.code, "means": meaning(row.means), "source": shown(&row.source) })
    });
    json!({
        "cell": spec.id,
        "summary": spec.summary,
        "guarantee": promised,
        "sentence": promised.sentence(),
        "rungs": spec.ladder.iter().map(rungs::words).collect::<Vec<_>>(),
        "needs": spec.published().1.iter().map(|need| need.words()).collect::<Vec<_>>(),
        "residual": spec.residual,
        "stakes": stakes(spec.stakes),
        "reversal": spec.reversal,
        "fate": fate(spec.fate),
        "answers_within_seconds": spec.answers_within.as_secs(),
        "settle_seconds": spec.settle.as_secs(),
        "patience_seconds": spec.patience.as_secs(),
        "look_at": spec.human(),
        "answers": answers.collect::<Vec<_>>(),
        "sources": sources(spec).iter().map(shown).collect::<Vec<_>>(),
        "schema": cell.schema(),
    })
}

/// The cell's own rows, then those for every cell that aren't hidden by one of them.
fn rows(spec: &CellSpec) -> impl Iterator<Item = &'static Row> {
    let own = spec.answers;
    let hidden = |row: &&Row| own.iter().any(|own| own.status == row.status && own.kind == "*" && own.code == "*");
    own.iter().chain(TRANSPORT_ROWS.iter().filter(move |row| !hidden(row)))
}

/// Every source once.
fn sources(spec: &CellSpec) -> Vec<Source> {
    let mut all: Vec<Source> = spec.ladder.iter().flat_map(rungs::sources).copied().collect();
    all.extend(spec.answers.iter().map(|row| row.source));
    all.push(spec.settle_source);
    all.extend(spec.repairs.map(|(_, source)| source));
    let mut seen = Vec::new();
    all.retain(|source| {
        let is_new = !seen.contains(source);
        seen.push(*source);
        is_new
    });
    all
}

fn shown(source: &Source) -> Value {
    json!({ "url": source.url, "checked": source.checked, "sure": sure(source.sure) })
}

fn times(spec: &CellSpec) -> String {
    let [within, settle, patience] =
        [spec.answers_within, spec.settle, spec.patience].map(|time| duration(time.as_secs()));
    format!("an answer within {within}, acted on within {settle} after that, automatic work for at most {patience}")
}

fn fate(fate: Fate) -> String {
    match fate {
        Fate::Final => "nothing is left open".to_owned(),
        Fate::Later(learned) => format!("it may still settle or fail; learned from {learned}"),
    }
}

fn status(row: &Row) -> String {
    if row.status == 0 { "any".to_owned() } else { row.status.to_string() }
}

fn any(pattern: &str) -> &str {
    match pattern {
        "*" => "any",
        "" => "none",
        other => other,
    }
}

fn stakes(stakes: Stakes) -> &'static str {
    match stakes {
        Stakes::Low => "low",
        Stakes::Medium => "medium",
        Stakes::High => "high",
    }
}

fn sure(sure: Sure) -> &'static str {
    match sure {
        Sure::Official => "official documentation",
        Sure::Spec => "published API description",
        Sure::Sdk => "source of the provider's SDK",
        Sure::Practice => "seen in practice",
        Sure::Presumed => "presumed",
    }
}

fn meaning(means: Meaning) -> &'static str {
    match means {
        Meaning::Refused => "refused: this request had no effect",
        Meaning::RefusedOnRecord => "refused, recorded under the token",
        Meaning::NotDone => "not done: may go again",
        Meaning::Taken => "taken: the token is spent, look",
        Meaning::Adrift => "adrift: the provider itself doesn't know",
        Meaning::KeyBurnt => "key burnt: a stored failure, look",
        Meaning::Unclear => "unclear: look",
    }
}
