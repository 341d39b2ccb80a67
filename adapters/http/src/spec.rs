//! From what is written to what the core derives guarantees of.

use std::time::Duration;

use hapax_core::capability::{
    Absence, CellSpec, Human, Life, Meaning, Native, Need, Query, Row, Rung, Source, Sure, Then, Window,
};
use hapax_core::identity::Form;

use crate::declaration::{
    By, CellDeclaration, FormWord, GuardDeclaration, LifeWord, LookDeclaration, NeedDeclaration, RowDeclaration,
    SourceDeclaration,
};
use crate::keep;
use crate::problem::{Page, Problem};

/// Source of what names none, where the file names none either.
const NOBODY: Source = Source::presumed("nobody says where this is written");

/// Reads facts; knows the source of those that name none.
pub(crate) struct Facts<'a> {
    pub(crate) page: Page<'a>,
    pub(crate) usual: Option<&'a SourceDeclaration>,
}

impl Facts<'_> {
    /// The cell's facts.
    pub(crate) fn spec(&self, provider: &str, name: &str, cell: &CellDeclaration) -> Result<CellSpec, Problem> {
        let mut spec = CellSpec::new(
            keep::text(format!("{provider}.{name}")),
            keep::text(cell.summary.trim_end_matches('.')),
            keep::list(self.ladder(cell)?),
        )
        .version(cell.version)
        .answers(keep::list(cell.rows.iter().map(|row| self.row(row)).collect::<Result<_, _>>()?))
        .residual(keep::text(cell.residual.get_ref()));
        spec.kind = cell.kind.unwrap_or(spec.kind);
        spec.stakes = cell.stakes.unwrap_or(spec.stakes);
        spec.answers_within = cell.answers_within.map_or(spec.answers_within, |time| time.0);
        spec.patience = cell.patience.map_or(spec.patience, |time| time.0);
        if let Some(settle) = &cell.settle {
            spec = spec.settle(settle.time.0, self.source(settle.source.as_ref())?);
        }
        if let Some(fate) = &cell.fate {
            spec = spec.later(keep::text(&fate.learned));
        }
        if let Some(reversal) = &cell.reversal {
            spec = spec.reversal(keep::text(reversal));
        }
        Ok(spec)
    }

    fn ladder(&self, cell: &CellDeclaration) -> Result<Vec<Rung>, Problem> {
        let field = |guard: &GuardDeclaration| keep::text(&guard.field);
        let mut ladder = Vec::new();
        if let Some(state) = &cell.state {
            ladder.push(Rung::Native(self.guard(state.get_ref(), Native::state(field(state.get_ref())))?));
        }
        if let Some(id) = &cell.id {
            let guard = id.get_ref();
            ladder.push(Rung::Native(self.guard(guard, Native::client_id(field(guard), form(guard.form)))?));
        }
        if let Some(key) = &cell.key {
            let guard = key.get_ref();
            ladder.push(Rung::Native(self.guard(guard, Native::key(field(guard), form(guard.form)))?));
        }
        if let Some(look) = &cell.look {
            ladder.push(Rung::Query(self.query(look.get_ref())?));
        }
        ladder.push(Rung::Human(Human { place: keep::text(cell.person.get_ref()) }));
        Ok(ladder)
    }

    fn guard(&self, written: &GuardDeclaration, worst: Native) -> Result<Native, Problem> {
        let life = written.life.as_ref().map_or(Window::Zero, |life| window(*life.get_ref()));
        Ok(Native {
            life: Life {
                floor: life,
                ends: written.ends.as_ref().map_or("undocumented", keep::text),
                then: if written.then_refuses { Then::Refuses } else { Then::RunsAnew },
            },
            twins: written.twins.as_ref().map_or(worst.twins, |twins| *twins.get_ref()),
            repeat: written.repeat.as_ref().map_or(worst.repeat, |repeat| *repeat.get_ref()),
            failures: written.failures.as_ref().map_or(worst.failures, |failures| *failures.get_ref()),
            undone_by: written.undone_by.as_ref().map(keep::text),
            scope: written.scope.as_ref().map_or(worst.scope, |scope| keep::list(scope.clone())),
            needs: needs(&written.needs),
            sources: keep::list(vec![self.source(written.source.as_ref())?]),
            ..worst
        })
    }

    fn query(&self, look: &LookDeclaration) -> Result<Query, Problem> {
        let source = self.source(look.source.as_ref())?;
        let worst = match look.looks_by() {
            By::Mark => Query::by_mark(keep::text(look.ours_in_words()), form(look.mark_form)),
            By::Token => Query::by_token(),
            By::Content => Query::by_content(keep::list(look.ours.keys().map(keep::text).collect())),
        };
        let said = look.absence.as_ref().map_or(worst.absence, |absence| *absence.get_ref());
        Ok(Query {
            lag: look.lag.as_ref().map_or(worst.lag, |lag| lag.get_ref().0),
            reads_one: look.hits.is_none(),
            horizon: look.horizon.as_ref().map_or(worst.horizon, |horizon| window(*horizon.get_ref())),
            // What no document says proves nothing.
            absence: if source.sure >= Sure::Spec { said } else { said.min(Absence::Suggests) },
            needs: needs(&look.needs),
            sources: keep::list(vec![source]),
            ..worst
        })
    }

    fn row(&self, row: &RowDeclaration) -> Result<Row, Problem> {
        let any = |text: &Option<String>| text.as_ref().map_or("*", keep::text);
        let source = self.source(row.source.as_ref())?;
        // That there was no effect is believed where it is written, and nowhere else.
        let means = if source.sure >= Sure::Spec { *row.means.get_ref() } else { Meaning::Unclear };
        Ok(Row::new(row.status, any(&row.kind), any(&row.code), means, source))
    }

    /// A source. One that nobody has dated is presumed, whatever it says of itself.
    fn source(&self, own: Option<&SourceDeclaration>) -> Result<Source, Problem> {
        let Some(written) = own.or(self.usual) else { return Ok(NOBODY) };
        let Some(read) = &written.read else { return Ok(Source::presumed(keep::text(&written.url))) };
        if !is_day(read.get_ref()) {
            return Err(self.page.problem(&read.span(), "read is the day on which somebody read it, as YYYY-MM-DD"));
        }
        Ok(Source { url: keep::text(&written.url), checked: keep::text(read.get_ref()), sure: written.sure })
    }
}

/// `2026-11-28`.
fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    lengths == [4, 2, 2] && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
}

pub(crate) const fn form(word: FormWord) -> Form {
    match word {
        FormWord::Uuid => Form::Uuid,
        FormWord::Integer => Form::Integer,
        FormWord::Text(length) => Form::Text(length),
        FormWord::Base32Hex(length) => Form::Base32Hex(length),
    }
}

pub(crate) const fn window(word: LifeWord) -> Window {
    match word {
        LifeWord::Unstated => Window::Unstated,
        LifeWord::Ever => Window::Ever,
        LifeWord::AtLeast(time) => Window::AtLeast(Duration::from_secs(time.as_secs())),
    }
}

fn needs(written: &[NeedDeclaration]) -> &'static [Need] {
    keep::list(
        written
            .iter()
            .map(|need| match need {
                NeedDeclaration::Permission(words) => Need::Permission(keep::text(words)),
                NeedDeclaration::Setting(words) => Need::Setting(keep::text(words)),
                NeedDeclaration::Receiver(words) => Need::Receiver(keep::text(words)),
                NeedDeclaration::Software(words) => Need::Software(keep::text(words)),
            })
            .collect(),
    )
}
