//! The fault catalogue, as data: one file per family, one entry per fault.

mod answers;
mod callers;
mod crash;
mod identity;
mod ledgers;
mod looks;
mod network;
mod people;
mod provider;
mod steps;
mod time;

use std::fmt;
use std::pin::Pin;

use hapax_core::capability::{Absence, CellSpec, Completion, Query, Standing, guarantee};

use crate::kit::{CellSubject, End, Played, Run};

/// What playing a fault is: a future over one run.
pub type Play<'a> = Pin<Box<dyn Future<Output = Played> + Send + 'a>>;

/// One fault of the catalogue.
#[derive(Clone, Copy)]
pub struct Fault {
    /// Its name, as in reports and in `HAPAX_KIT_FAULT`.
    pub name: &'static str,
    /// What goes wrong, in words.
    pub what: &'static str,
    /// How a run of it ends, unless the cell says otherwise.
    pub ends: Ends,
    /// Plays it. Whatever it leaves open is recovered afterwards.
    pub play: for<'a> fn(&'a Run) -> Play<'a>,
    /// Why it can't be played on a cell, if it can't.
    pub unfit: fn(&CellSpec, &dyn CellSubject) -> Option<&'static str>,
}

/// How runs of a fault end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// With success, by itself.
    Succeeded,
    /// Refused.
    Refused,
    /// As the guarantee says of an answer that was lost after the effect.
    Happened,
    /// As the guarantee says of an answer that was lost where nothing happened.
    Nothing,
    /// Found, or with a person: after an alarm nothing goes out by itself.
    Contradicted,
    /// In any way that the invariants allow; the fault itself may say more.
    Any,
}

impl Fault {
    /// A fault that can be played on every cell.
    pub const fn new(
        name: &'static str,
        what: &'static str,
        ends: Ends,
        play: for<'a> fn(&'a Run) -> Play<'a>,
    ) -> Self {
        Self { name, what, ends, play, unfit: |_, _| None }
    }

    /// A fault that not every cell can have.
    pub const fn unless(mut self, unfit: fn(&CellSpec, &dyn CellSubject) -> Option<&'static str>) -> Self {
        self.unfit = unfit;
        self
    }

    /// The end that this fault leads to on a cell.
    pub fn end(&self, spec: &CellSpec, subject: &dyn CellSubject, met: &[String]) -> End {
        if let Some((_, end)) = subject.ends().into_iter().find(|(name, _)| *name == self.name) {
            return end;
        }
        let is_met = |need: &hapax_core::capability::Need| met.iter().any(|words| words == need.words());
        let completion = guarantee(spec, &is_met, false).completion;
        match self.ends {
            Ends::Succeeded => End::Succeeded,
            Ends::Refused => End::Refused,
            Ends::Any => End::Any,
            Ends::Contradicted if standing(spec).look.is_none() => End::Person,
            Ends::Happened | Ends::Contradicted if completion == Completion::NeedsPerson => End::Person,
            Ends::Nothing if matches!(completion, Completion::NeedsPerson | Completion::AutomaticIfFound) => {
                End::Person
            }
            Ends::Happened | Ends::Contradicted | Ends::Nothing => End::Succeeded,
        }
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The whole catalogue.
pub fn all() -> Vec<Fault> {
    let families = [
        network::FAULTS,
        steps::FAULTS,
        answers::FAULTS,
        provider::FAULTS,
        crash::FAULTS,
        callers::FAULTS,
        time::FAULTS,
        identity::FAULTS,
        looks::FAULTS,
        people::FAULTS,
        ledgers::FAULTS,
    ];
    families.into_iter().flatten().copied().collect()
}

/// The fault of this name.
pub fn named(name: &str) -> Option<Fault> {
    all().into_iter().find(|fault| fault.name == name)
}

/// Declares a fault: its name, how it ends, what goes wrong, and the function that plays it.
macro_rules! fault {
    ($name:literal, $ends:ident, $play:expr, $what:literal) => {
        $crate::faults::Fault::new($name, $what, $crate::faults::Ends::$ends, |run| Box::pin($play(run)))
    };
}
pub(crate) use fault;

/// Faults of a look need one.
fn no_look(spec: &CellSpec, _: &dyn CellSubject) -> Option<&'static str> {
    standing(spec).look.is_none().then_some("nothing can be asked here")
}

/// Faults of questions that are asked before anything is sent again.
fn no_first_look(spec: &CellSpec, subject: &dyn CellSubject) -> Option<&'static str> {
    let named = || is_named_by_a_repeat(spec).then_some("nothing can be asked here before a repeat was refused");
    no_look(spec, subject).or_else(named)
}

/// Faults of the steps before the request that counts need such steps.
fn no_steps(spec: &CellSpec, _: &dyn CellSubject) -> Option<&'static str> {
    spec.notes.is_empty().then_some("nothing comes before the request that counts")
}

/// Faults of a lying look need one whose absence would be believed.
fn no_proof(spec: &CellSpec, _: &dyn CellSubject) -> Option<&'static str> {
    match standing(spec).look {
        Some(look) if look.absence == Absence::Proves => None,
        _ => Some("no absence is believed here"),
    }
}

/// Whether a look has nothing to ask before a repeat of the request was refused and named what is there.
pub(crate) fn is_named_by_a_repeat(spec: &CellSpec) -> bool {
    standing(spec).look.is_some() && !spec.queries().any(Query::asks_by_itself)
}

/// The ladder with every need met.
pub(crate) fn standing(spec: &CellSpec) -> Standing {
    spec.standing(&|_| true, hapax_core::capability::SecondEffect::Withheld, false)
}
