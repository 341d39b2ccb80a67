//! What must hold: at every moment, and in the end.

use std::collections::BTreeMap;
use std::process::Output;

use hapax_core::clock::Clock;
use hapax_core::identity::{Form, Names, NamespaceSecret, Seed};
use hapax_core::ledger::{By, Filter, Ledger, OperationId, Phase, Serves};
use hapax_core::protocol::{Bounds, Elapsed, Final, OpState, Stamp, fold};
use hapax_standin::Effect;
use serde_json::Value;

use super::bed::{Bed, CONNECTION, clock};
use super::jobs::Sign;
use super::process::{Ended, answer};
use super::tally::Tally;

/// An operation as it lies in the ledger.
struct Lies {
    key: String,
    state: OpState,
    /// Whether it is neither final, nor held, nor with a person.
    is_open: bool,
    /// Whether it becomes due some time.
    is_due: bool,
}

impl Bed {
    /// Counts how a process ended, and looks at what it left.
    pub(crate) async fn watch(&self, tally: &mut Tally, ended: Ended) {
        let (wrong, is_under_way) = self.look().await;
        tally.wrong.extend(wrong);
        if ended == Ended::Killed {
            tally.kills += 1;
            tally.midway += usize::from(is_under_way);
        }
    }

    /// What is wrong at this moment, while workers may be at it: an effect that no operation knows of, a
    /// second effect, an operation that is neither final, due, nor with a person. And whether one is under
    /// way.
    async fn look(&self) -> (Vec<String>, bool) {
        // Effects first: whatever is seen here was journaled before.
        let effects = self.server.effects().of(self.job.effect);
        let operations = self.operations().await;
        let mut wrong = Vec::new();
        for one in &operations {
            if one.is_open && !one.is_due {
                wrong.push(format!("{} is neither final, due, nor with a person", one.key));
            }
        }
        let mut counts = BTreeMap::new();
        for effect in &effects {
            match operations.iter().find(|one| self.is_of(effect, one)) {
                Some(one) if one.knows() => *counts.entry(&one.key).or_insert(0) += 1,
                Some(one) => wrong.push(format!("{} doesn't know of its effect on {}", one.key, effect.object)),
                None => wrong.push(format!("no operation knows of the effect on {}", effect.object)),
            }
        }
        wrong.extend(counts.iter().filter(|(_, n)| **n > 1).map(|(key, n)| format!("{key} has {n} effects")));
        let wrong = wrong.iter().map(|what| format!("{}: {what}", self.job.cell)).collect();
        (wrong, operations.iter().any(|one| one.is_open))
    }

    /// Judges how an intent ended: once, or with a person who has what they need.
    pub(crate) async fn judge(&self, number: usize, output: &Output) -> Tally {
        let effects = self.effects_of(number).await;
        let mut tally = Tally { trials: 1, duplicates: effects.len().saturating_sub(1), ..Tally::default() };
        let wrong = match output.status.code() {
            Some(0) if effects.is_empty() => Some("it is said to have happened, and didn't".to_owned()),
            Some(0) => None,
            Some(5) => {
                tally.persons = 1;
                self.persons_matter(number, &effects).await.err()
            }
            _ => Some("it is neither done nor with a person".to_owned()),
        };
        if let Some(wrong) = wrong {
            tally.losses = 1;
            let (cell, said) = (self.job.cell, String::from_utf8_lossy(&output.stdout));
            tally.wrong.push(format!("{cell} {}: {wrong}; {} effects; {said}", Self::key(number), effects.len()));
        }
        tally.wrong.extend(self.look().await.0);
        tally
    }

    /// With a person is right where nobody else can know or automatic work is at its bounds. The evidence
    /// must be there, and what they find must close it.
    async fn persons_matter(&self, number: usize, effects: &[Effect]) -> Result<(), String> {
        let shown = self.show(number).await;
        let evidence = &shown["evidence"];
        let open = evidence["open_attempts"].as_u64().unwrap_or_default();
        let is_bounded = open >= u64::from(Bounds::default().attempts)
            || self.is_out_of_patience(number).await
            || self.is_token_forgotten(&shown);
        if open == 0 || !(self.job.is_withheld() || is_bounded) {
            return Err(format!("a person has it without need: {shown}"));
        }
        if evidence["look_at"].as_str().is_none_or(str::is_empty) {
            return Err(format!("a person isn't told where to look: {shown}"));
        }
        let [effect] = effects else { return Ok(()) };
        let closed = self.say_it_happened(&shown, &effect.object).await;
        match (closed.status.code(), self.effects_of(number).await.len()) {
            (Some(0), 1) => Ok(()),
            (_, count) => Err(format!("a person could not close it: {}; {count} effects", answer(&closed))),
        }
    }

    /// Whether automatic work has gone on for as long as the cell allows, which a busy machine may bring
    /// about: seconds are hours here.
    async fn is_out_of_patience(&self, number: usize) -> bool {
        let key = Self::key(number);
        let began = self.operations().await.into_iter().find(|one| one.key == key).map(|one| one.state.patience_from);
        let waited = began.map_or(0, |began| Elapsed::between(began, clock().now()).at_most_ms);
        u128::from(waited) >= self.job.patience().as_millis()
    }

    /// Whether it came to a person when a further request would not have ended within the life of its token: it leaves
    /// after the last one is settled, and takes as long as that one.
    fn is_token_forgotten(&self, shown: &Value) -> bool {
        let Some((life, resend)) = self.job.life_of_its_token() else { return false };
        let times = |is_it: fn(&str) -> bool| {
            let entries = shown["timeline"].as_array().into_iter().flatten();
            let found = entries.filter(|one| one["what"].as_str().is_some_and(is_it));
            found.filter_map(|one| one["at_ms"].as_u64()).collect::<Vec<_>>()
        };
        let left = times(|what| what.contains(" leaves, "));
        let asked = times(|what| what.starts_with("given to a person"));
        let (Some(first), Some(last), Some(asked)) = (left.first(), left.last(), asked.last()) else { return false };
        asked.max(&(last + resend)) + resend > first + life
    }

    /// The effects of one intent.
    async fn effects_of(&self, number: usize) -> Vec<Effect> {
        let key = Self::key(number);
        let operations = self.operations().await;
        let Some(one) = operations.iter().find(|one| one.key == key) else { return Vec::new() };
        self.server.effects().matching(|effect| effect.kind == self.job.effect && self.is_of(effect, one))
    }

    fn is_of(&self, effect: &Effect, one: &Lies) -> bool {
        let wanted = (0..self.intents.len()).find(|number| Self::key(*number) == one.key);
        match wanted.map(|number| &self.intents[number].sign) {
            Some(Sign::Is(sign)) => effect.object == *sign || effect.carries(sign),
            Some(Sign::Mark) => effect.carries(&one.mark(&self.secret, self.job.forms())),
            None => false,
        }
    }

    async fn operations(&self) -> Vec<Lies> {
        let mut operations = Vec::new();
        for id in self.ledger.list(&Filter::default()).await.expect("a list") {
            operations.push(self.operation(id).await);
        }
        operations
    }

    /// An operation at one moment: where workers are at it, it is read until nothing moved meanwhile.
    async fn operation(&self, id: OperationId) -> Lies {
        let served = [Serves { connection: CONNECTION.to_owned(), cell: self.job.cell.to_owned() }];
        let some_time = Stamp { wall_ms: i64::MAX, boot_ms: 0, boot: 0 };
        let open = Filter { phases: vec![Phase::Open], ..Filter::default() };
        let load = async || self.ledger.load(By::Id(id)).await.expect("a read").expect("what is listed is there");
        loop {
            let stored = load().await;
            let is_open = self.ledger.list(&open).await.expect("a list").contains(&id);
            let is_due = self.ledger.due(&served, some_time, 1_000).await.expect("a list").contains(&id);
            if load().await.records.len() == stored.records.len() {
                let state = fold(&stored.records);
                let key = state.intent.as_ref().map(|intent| intent.key.to_string()).unwrap_or_default();
                return Lies { key, state, is_open, is_due };
            }
        }
    }

    /// Whether there are operations, and none is under way.
    pub(crate) async fn has_ended(&self) -> bool {
        let operations = self.operations().await;
        !operations.is_empty() && !operations.iter().any(|one| one.is_open)
    }

    /// How many operations there are.
    pub(crate) async fn count_operations(&self) -> usize {
        self.operations().await.len()
    }
}

impl Lies {
    /// Whether it knows that it has happened, or that it may have.
    fn knows(&self) -> bool {
        matches!(self.state.outcome, Some(Final::Succeeded(_))) || self.state.open().next().is_some()
    }

    /// The mark under which a person or a look finds it.
    fn mark(&self, secret: &NamespaceSecret, (token, mark): (Form, Form)) -> String {
        let intent = self.state.intent.as_ref().expect("an operation begins with its intent");
        let seed = Seed::new(secret.clone(), &intent.account, &intent.cell, intent.key.clone());
        Names::new(seed, token, mark, 0, 0).mark()
    }
}

/// The receipt that a caller was given.
pub(crate) fn receipt(output: &Output) -> Value {
    answer(output)["receipt"].clone()
}
