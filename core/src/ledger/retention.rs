use super::OperationId;
use crate::protocol::{Elapsed, Record, Stamp, may_redact};

/// Which operations lose their arguments and receipts. Key, fingerprint, claim and outcome stay.
///
/// Never one that hasn't ended, that is due, that somebody holds, or of which a request may still take effect.
#[derive(Clone, Debug)]
pub struct Retention {
    /// The present moment, by the clock that operations are stamped with.
    pub now: Stamp,
    /// The first rule that speaks of an operation's place decides; what none speaks of is kept.
    pub rules: Vec<Keep>,
    /// Only this operation.
    pub only: Option<OperationId>,
    /// Only operations with an id above this one: where an earlier call stopped.
    pub after: Option<OperationId>,
    /// Changes nothing, says only how many it would be.
    pub dry_run: bool,
}

/// How long a place keeps arguments and receipts of what ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// On this connection; none: on each.
    pub connection: Option<String>,
    /// Of this cell (`stripe.*` for an integration's); none: of each.
    pub cell: Option<String>,
    /// For so many milliseconds after the last record; none: for ever.
    pub for_ms: Option<u64>,
}

/// What one call of [`Ledger::prune`](super::Ledger::prune) did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// How many operations it pruned.
    pub operations: u64,
    /// There may be more above this id; none: that was all.
    pub next: Option<OperationId>,
}

impl Keep {
    fn speaks_of(&self, connection: &str, cell: &str) -> bool {
        let is_of = |named: &String| named.strip_suffix('*').map_or(named == cell, |prefix| cell.starts_with(prefix));
        self.connection.as_ref().is_none_or(|named| named == connection) && self.cell.as_ref().is_none_or(is_of)
    }
}

impl Retention {
    /// All that ended, whatever its place, if it ended at least so many milliseconds ago.
    pub fn of_all(now: Stamp, for_ms: u64) -> Self {
        let rules = vec![Keep { for_ms: Some(for_ms), ..Keep::default() }];
        Self { now, rules, only: None, after: None, dry_run: false }
    }

    /// How long that place keeps; none: for ever.
    pub fn keeps_ms(&self, connection: &str, cell: &str) -> Option<u64> {
        self.rules.iter().find(|rule| rule.speaks_of(connection, cell)).and_then(|rule| rule.for_ms)
    }

    /// The latest wall-clock time of a last record that isn't kept any more there; none: all is kept.
    pub fn until_wall_ms(&self, connection: &str, cell: &str) -> Option<i64> {
        let for_ms = i64::try_from(self.keeps_ms(connection, cell)?).unwrap_or(i64::MAX);
        Some(self.now.wall_ms.saturating_sub(for_ms))
    }

    /// Whether an operation there, which is final by what it is found by, not due and not pruned, loses what it holds.
    pub fn takes(&self, connection: &str, cell: &str, records: &[Record]) -> bool {
        let (Some(for_ms), Some(until)) = (self.keeps_ms(connection, cell), self.until_wall_ms(connection, cell))
        else {
            return false;
        };
        // By every clock: one that runs ahead must not take what can't be given back.
        let old = |last: &Record| last.at.wall_ms <= until && Elapsed::between(last.at, self.now).at_least_ms >= for_ms;
        records.last().is_some_and(old) && may_redact(records, self.now)
    }

    /// Whether a call for these asks for this operation at all.
    pub fn asks_for(&self, operation: OperationId) -> bool {
        self.only.is_none_or(|only| only == operation) && self.after.is_none_or(|after| operation > after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keep(connection: Option<&str>, cell: Option<&str>, for_ms: Option<u64>) -> Keep {
        Keep { connection: connection.map(str::to_owned), cell: cell.map(str::to_owned), for_ms }
    }

    #[test]
    fn the_first_rule_that_speaks_of_a_place_decides() {
        let rules = vec![
            keep(Some("test"), None, Some(0)),
            keep(None, Some("stripe.charge"), None),
            keep(None, Some("stripe.*"), Some(7)),
        ];
        let retention = Retention { rules, ..Retention::of_all(Stamp::scripted(100), 0) };
        assert_eq!(retention.keeps_ms("test", "stripe.charge"), Some(0));
        assert_eq!(retention.keeps_ms("live", "stripe.charge"), None);
        assert_eq!(retention.keeps_ms("live", "stripe.refund"), Some(7));
        assert_eq!(retention.until_wall_ms("live", "stripe.refund"), Some(93));
        assert_eq!(retention.keeps_ms("live", "twilio.call"), None, "what no rule speaks of is kept");
    }
}
