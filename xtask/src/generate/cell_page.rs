//! One page per cell: everything that is declared about it, with sources.

use hapax_core::capability::{
    CellSpec, Fate, Mark, Native, Need, Query, Row, Rung, Sure, TRANSPORT_ROWS, Token, Window,
};

use super::markdown::{sentence, table};
use super::page::Page;
use super::{Entry, WARNING, arguments, phrases};
use crate::proof::{Elsewhere, Proof};

pub(super) fn page(entry: &Entry) -> Page {
    let spec = entry.spec;
    let text = [
        format!("{WARNING}\n\n# {}\n\n{}\n", spec.id, sentence(spec.summary)),
        promise(entry),
        format!("## Left-over risk\n\n{}\n", sentence(spec.residual)),
        ladder(spec),
        conditions(entry),
        answers(spec),
        timing(spec),
        afterwards(spec),
        format!("## Arguments\n\n{}", arguments::section(&entry.cell.schema())),
        proof(&entry.proof),
    ];
    Page::new(format!("docs/reference/cells/{}.md", spec.id), text.join("\n"))
}

fn promise(entry: &Entry) -> String {
    let guarantee = &entry.guarantee;
    let head = ["class", "no second effect", "completion", "proof", "stakes", "kind", "version"];
    let row = vec![
        phrases::class(guarantee.class).to_owned(),
        phrases::halves(guarantee),
        phrases::completed(guarantee),
        entry.proof.level.word().to_owned(),
        phrases::stakes(entry.spec.stakes).to_owned(),
        phrases::kind(entry.spec.kind).to_owned(),
        entry.spec.version.to_string(),
    ];
    format!("**{}**\n\n{}", guarantee.sentence(), table(&head, [row]))
}

fn ladder(spec: &CellSpec) -> String {
    let mut text = "## What makes a further request harmless\n\nStrongest first.\n".to_owned();
    for (number, rung) in spec.ladder.iter().enumerate() {
        let (title, facts) = match rung {
            Rung::Native(native) => native_facts(spec, native),
            Rung::Query(query) => query_facts(query),
            Rung::Annul(annul) => (
                "It can be annulled".to_owned(),
                [
                    vec![fact("until", annul.until), fact("holds after", &phrases::time(annul.settle))],
                    needs(annul.needs),
                    annul.sources.iter().map(|source| fact("source", &phrases::source(source))).collect(),
                ]
                .concat(),
            ),
            Rung::Human(human) => ("A person looks".to_owned(), vec![fact("where", human.place)]),
        };
        text.push_str(&format!("\n### {}. {title}\n\n{}", number + 1, table(&["fact", "value"], facts)));
    }
    text
}

fn fact(name: &str, value: &str) -> Vec<String> {
    vec![name.to_owned(), value.to_owned()]
}

fn needs(needs: &[Need]) -> Vec<Vec<String>> {
    needs.iter().map(|need| fact("needs", need.words())).collect()
}

fn native_facts(spec: &CellSpec, native: &Native) -> (String, Vec<Vec<String>>) {
    let title = match native.token {
        Token::Key(field) => format!("Our key in `{}`", field.name),
        Token::ClientId(field) => format!("Our id in `{}`", field.name),
        Token::Handle(name) => format!("The provider's handle `{name}`"),
        Token::State(name) => format!("The precondition `{name}`"),
    };
    let relied = spec.relies_on(native, &|_| true);
    let mut facts = vec![fact("relied on", if relied { "yes" } else { "no: a belt, sent along" })];
    if let Token::Key(field) | Token::ClientId(field) = native.token {
        facts.push(fact("form", &phrases::form(field.form)));
    }
    let scope: Vec<&str> = native.scope.iter().map(|scope| phrases::scope(*scope)).collect();
    facts.push(fact("stays spent", &phrases::window(native.life.floor)));
    if native.life.floor == Window::Ever {
        facts.push(fact("because", native.life.ends));
    } else {
        facts.push(fact("what ends that", native.life.ends));
        facts.push(fact("a repeat after that", phrases::then(native.life.then)));
    }
    facts.extend([
        fact("of two at once", phrases::twins(native.twins)),
        fact("a repeat gets", phrases::repeat(native.repeat)),
        fact("a failed first request", phrases::failures(native.failures)),
        fact("compared within", &scope.join(", ")),
    ]);
    facts.extend(needs(native.needs));
    facts.extend(native.sources.iter().map(|source| fact("source", &phrases::source(source))));
    (title, facts)
}

fn query_facts(query: &Query) -> (String, Vec<Vec<String>>) {
    let asked = if query.told { "It tells us" } else { "It can be asked" };
    let title = match query.mark {
        Mark::Planted(place, form) => format!("{asked}, by our mark in `{place}` ({})", phrases::form(form)),
        Mark::Token => format!("{asked}, by the token"),
        Mark::Content(fields) => format!("{asked}, by content that only looks like ours ({})", fields.join(", ")),
    };
    let reads = if query.reads_one { "the one record that has it" } else { "every record that has it" };
    let mut facts = vec![
        fact("reads", reads),
        fact("finding nothing", phrases::absence(query.absence)),
        fact("may lag by", &phrases::time(query.lag)),
        fact("sees back", &phrases::window(query.horizon)),
    ];
    facts.extend(needs(query.needs));
    facts.extend(query.sources.iter().map(|source| fact("source", &phrases::source(source))));
    (title, facts)
}

fn conditions(entry: &Entry) -> String {
    let list = |title: &str, none: &str, lines: Vec<String>| {
        let lines = match lines.is_empty() {
            true => format!("{}\n", sentence(none)),
            false => lines.iter().map(|line| format!("- {}\n", sentence(line))).collect(),
        };
        format!("## {title}\n\n{lines}")
    };
    let needs = entry.needs.iter().map(|need| need.words().to_owned()).collect();
    let belts = entry.guarantee.belts.iter().map(|belt| format!("`{belt}`")).collect();
    [
        list("Exceptions: where a person decides all the same", "none", entry.guarantee.exceptions.clone()),
        list("Needs", "nothing beyond the credentials", needs),
        list("Belts: sent along, not relied on", "none", belts),
        list("Assumptions: what nobody documents", "none", entry.guarantee.assumes.clone()),
    ]
    .join("\n")
}

fn answers(spec: &CellSpec) -> String {
    let row = |row: &Row| {
        let any = |text: &str| if text == "*" { "any".to_owned() } else { format!("`{text}`") };
        let (word, follows) = phrases::meaning(row.means);
        vec![
            if row.status == 0 { "any".to_owned() } else { row.status.to_string() },
            any(row.kind),
            any(row.code),
            word.to_owned(),
            follows.to_owned(),
            phrases::source(&row.source),
        ]
    };
    let head = ["status", "type", "code", "means", "what follows", "source"];
    format!(
        "## Answers that carry an error\n\nThe most exact row decides. An answer that no row speaks of is unclear.\n\n{}\n\
         Unless a row above says otherwise, {} speak of the request itself and mean refused, for this attempt.\n",
        table(&head, spec.answers.iter().map(row)),
        TRANSPORT_ROWS.iter().map(|row| row.status.to_string()).collect::<Vec<_>>().join(", ")
    )
}

fn timing(spec: &CellSpec) -> String {
    let repairs = match (&spec.repairs, spec.can_be_adrift()) {
        (Some((within, source)), _) => format!("{}; {}", phrases::time(*within), phrases::source(source)),
        (None, true) => "unstated: nothing closes before patience is over".to_owned(),
        (None, false) => "none are needed".to_owned(),
    };
    let settle = match spec.settle_source.sure {
        Sure::Presumed => format!("{}, presumed", phrases::time(spec.settle)),
        _ => format!("{}; {}", phrases::time(spec.settle), phrases::source(&spec.settle_source)),
    };
    let facts = [
        fact("an answer may take (the attempt's deadline)", &phrases::time(spec.answers_within)),
        fact("settle: from the deadline until it is acted on, or never", &settle),
        fact("the provider's repairs take", &repairs),
        fact("closing waits for", &phrases::time(spec.closing_settle())),
        fact("patience: automatic work ends after", &phrases::time(spec.patience)),
    ];
    format!("## Time\n\n{}", table(&["what", "how long"], facts))
}

fn afterwards(spec: &CellSpec) -> String {
    let fate = match spec.fate {
        Fate::Final => "accepted is done".to_owned(),
        Fate::Later(learned) => format!("may still settle or fail; learned from: {learned}"),
    };
    format!(
        "## Afterwards\n\n- Fate: {}\n- Reversal: {}\n- Where a person looks: {}\n",
        sentence(&fate),
        sentence(spec.reversal),
        spec.human()
    )
}

fn proof(proof: &Proof) -> String {
    let mut text = format!("## Proof: {}\n\n", proof.level.word());
    if let Some(why) = &proof.lowered {
        text.push_str(&format!("No more than claimed: {}\n", sentence(why)));
    }
    let Some(recorded) = &proof.recorded else { return text };
    let elsewhere = |name: &str, runs: &Elsewhere| {
        vec![name.to_owned(), runs.server.clone(), runs.runs.to_string(), runs.violations.to_string(), String::new()]
    };
    let simulated = recorded.simulated.iter().map(|runs| {
        vec![
            "simulated".to_owned(),
            format!("our stand-in, {} faults, {} seeds", runs.faults, runs.seeds.len()),
            runs.runs.to_string(),
            runs.violations.to_string(),
            runs.planted_bugs_caught.to_string(),
        ]
    });
    let independent = recorded.independent.iter().map(|runs| elsewhere("independent", runs));
    let sandbox = recorded.sandbox.iter().map(|runs| elsewhere("sandbox", runs));
    let rows: Vec<Vec<String>> = simulated.chain(independent).chain(sandbox).collect();
    text.push_str(&table(&["level", "against", "runs", "violations", "planted bugs caught"], rows));
    text
}
