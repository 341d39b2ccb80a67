//! What a declaration leaves out, and what that costs: for whoever wants a stronger guarantee.

use std::ops::Range;

use crate::Declared;
use crate::declaration::{By, CellDeclaration, GuardDeclaration, LookDeclaration};
use hapax_core::capability::{Absence, Sure};

/// One thing that could be said and isn't.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// `payments.pay`.
    pub cell: &'static str,
    /// The line that it is about, from 1.
    pub line: usize,
    /// What is missing, what that costs, and what to write.
    pub what: String,
}

/// Gathers advice for one cell.
struct Reader<'a> {
    declared: &'a Declared,
    cell: &'static str,
    /// Where the cell begins: what is absent has no line of its own.
    place: Range<usize>,
    written: &'a CellDeclaration,
    found: Vec<Advice>,
}

/// Everything that a declaration could still say.
pub(crate) fn of(declared: &Declared) -> Vec<Advice> {
    let cells = declared.integration.cells.iter().zip(&declared.written().cells);
    let mut all = Vec::new();
    for (cell, (name, written)) in cells {
        let mut reader = Reader { declared, cell: cell.spec.id, place: name.span(), written, found: Vec::new() };
        reader.unsent(cell);
        reader.read();
        all.extend(reader.found);
    }
    all
}

impl Reader<'_> {
    fn read(&mut self) {
        let written = self.written;
        for guard in [&written.key, &written.id, &written.state].into_iter().flatten() {
            self.guard(guard.get_ref(), &guard.span());
        }
        match &written.look {
            Some(look) => self.look(look.get_ref(), &look.span()),
            None => self.absent(
                "there is no look, so a lost answer is settled by a repeat or by a person: add a look if the API can \
                 list or read what was made",
            ),
        }
        self.rows();
        if written.receipt.echo.is_empty() {
            self.absent(
                "receipt.echo is empty, so an answer about something else is taken for ours: name what answers repeat",
            );
        }
        if written.record.is_none() && written.kind != Some(hapax_core::capability::Kind::BeSo) {
            self.absent("there is no record, so nobody's word that it happened can be checked: say how one is read by its id, in [record] with its `path`",
            );
        }
        if written.settle.is_none() {
            self.absent("settle isn't stated, so a request counts as under way for a presumed minute after its deadline: add `settle`",
            );
        }
        if written.example.is_none() {
            self.absent("there is no example, so `hapax cell prove` has nothing to play");
        }
    }

    /// An argument that no request carries is forgotten, or a slip.
    fn unsent(&mut self, cell: &crate::cell::DeclaredCell) {
        let sent = cell.request.names();
        let is_sent = |name: &str| sent.iter().any(|sent| sent.split('.').next() == Some(name));
        let unsent: Vec<&str> = cell.arguments.names().into_iter().filter(|name| !is_sent(name)).collect();
        for name in unsent {
            let span = self.written.arguments.span();
            self.say(
                &self.declared.page().inside(&span, name),
                &format!("`{name}` is an argument that the request doesn't carry"),
            );
        }
    }

    fn guard(&mut self, guard: &GuardDeclaration, span: &Range<usize>) {
        let field = &guard.field;
        if guard.life.is_none() {
            self.say(span, &format!("how long {field} is remembered isn't said, so it is not relied on: add `life`"));
        }
        if guard.twins.is_none() {
            self.say(
                span,
                &format!(
                    "what two requests with one {field} at once come to isn't said, so both may pass: add `twins`"
                ),
            );
        }
        if guard.failures.is_none() && self.written.state.is_none() {
            self.say(
                span,
                &format!(
                    "what a failure leaves of {field} isn't said, so it isn't relied on after one: add `failures`"
                ),
            );
        }
        self.source(guard.source.as_ref(), span, &format!("{field} is sent along and not relied on"));
    }

    fn look(&mut self, look: &LookDeclaration, span: &Range<usize>) {
        if look.horizon.is_none() {
            self.say(
                span,
                "how far the look reaches back isn't said, so what it doesn't show says little: add `horizon`",
            );
        }
        if look.hits.is_some() && look.next.is_none() {
            self.say(
                span,
                "the look reads one page, so what stands on a further one counts as absent: add `next` if lists come in \
                 pages",
            );
        }
        if look.lag.is_none() {
            self.say(span, "how far the look lags isn't said, so it counts as a minute: add `lag`");
        }
        if look.looks_by() == By::Content {
            self.say(
                span,
                "the look goes by content, so another intent's record can be taken for ours until it is claimed: put \
                 {{ mark }} into the request if a field takes it",
            );
        }
        let proves = look.absence.as_ref().is_some_and(|absence| *absence.get_ref() == Absence::Proves);
        if proves {
            self.source(look.source.as_ref(), span, "its absence only suggests");
        }
    }

    fn rows(&mut self) {
        if !self.written.rows.iter().any(|row| row.status == 429) {
            self.absent(
                "no row says what 429 means, so a request over the limit counts as one that may have had an effect",
            );
        }
        for row in &self.written.rows {
            self.source(row.source.as_ref(), &row.means.span(), "the row counts as unclear");
        }
    }

    /// A source that is weaker than a published description.
    fn source(&mut self, own: Option<&crate::declaration::SourceDeclaration>, span: &Range<usize>, so: &str) {
        let source = own.or(self.declared.written().source.as_ref());
        let relied_on = source.is_some_and(|source| source.read.is_some() && source.sure >= Sure::Spec);
        if !relied_on {
            self.say(
                span,
                &format!("no document is named that says so, with the day on which it was read, so {so}: add `source`"),
            );
        }
    }

    /// What is absent stands nowhere, so it is said of the cell.
    fn absent(&mut self, what: &str) {
        let place = self.place.clone();
        self.say(&place, what);
    }

    fn say(&mut self, span: &Range<usize>, what: &str) {
        let line = self.declared.page().line(span);
        self.found.push(Advice { cell: self.cell, line, what: what.to_owned() });
    }
}
