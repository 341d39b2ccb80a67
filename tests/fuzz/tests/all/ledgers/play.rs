//! Plays calls to a ledger and to the model, and compares what both say.

use std::fmt::Debug;

use hapax_conformance::ledger::samples::{Draft, happened, leased};
use hapax_core::ledger::{Append, By, Filter, LedgerError, OperationId, Phase, Retention, Serves, SharedLedger};
use hapax_core::protocol::{Event, Hold, Record, Stamp};
use hapax_core::words::Refusal;
use serde_json::json;

use super::calls::{Call, Says, Step, Who};
use super::model::{Model, Operation};
use super::store::{Store, Stored};

/// When a sequence begins.
const BEGAN_MS: i64 = 1_700_000_000_000;

/// So long after that, all is over.
const LATE_MS: i64 = 10_000_000;

struct Play {
    ledger: Stored,
    model: Model,
    now: Stamp,
}

fn same<T: PartialEq + Debug>(what: &str, ledger: &T, model: &T) -> Result<(), String> {
    if ledger == model { Ok(()) } else { Err(format!("{what}: the ledger says {ledger:?}, the model {model:?}")) }
}

fn works<T>(answer: Result<T, LedgerError>) -> Result<T, String> {
    answer.map_err(|error| format!("the ledger fails: {error}"))
}

fn names(serves: &[(u8, u8)]) -> Vec<Serves> {
    serves
        .iter()
        .map(|(connection, cell)| Serves { connection: connection_of(*connection), cell: cell_of(*cell) })
        .collect()
}

fn connection_of(number: u8) -> String {
    format!("connection-{number}")
}

fn cell_of(number: u8) -> String {
    format!("toy.cell_{number}")
}

fn claim_of(number: u8) -> String {
    format!("id_{number}")
}

/// Each connection is to an account of its own half of the time: claims and similar operations are known by accounts.
fn account_of(connection: u8, key: u8) -> String {
    format!("account-{}", if key < 2 { 0 } else { connection })
}

/// Plays a sequence to a new ledger.
pub(super) async fn play(store: &Store, calls: &[Call]) -> Result<(), String> {
    let ledger = store.fresh().await;
    let mut play =
        Play { ledger, model: Model::default(), now: Stamp { wall_ms: BEGAN_MS, boot_ms: 1, boot: u64::MAX } };
    for (number, call) in calls.iter().enumerate() {
        play.now.wall_ms += 10;
        play.now.boot_ms += 10;
        play.one(call).await.map_err(|why| format!("call {number}: {why}"))?;
    }
    play.whole().await?;
    play.ledger.reopen().await;
    play.whole().await.map_err(|why| format!("opened again: {why}"))?;
    play.ledger.verify().await
}

impl Play {
    fn ledger(&self) -> SharedLedger {
        self.ledger.ledger()
    }

    fn at(&self, ms: i64) -> Stamp {
        Stamp { wall_ms: BEGAN_MS + ms, ..self.now }
    }

    fn operation(&self, number: usize) -> Option<Operation> {
        let count = self.model.operations.len();
        number.checked_rem(count).map(|at| self.model.operations[at].clone())
    }

    async fn one(&mut self, call: &Call) -> Result<(), String> {
        match call {
            Call::Begin { who, says, refuse_similar, similar_since } => {
                let append = Append {
                    refuse_similar: *refuse_similar,
                    similar_since_ms: BEGAN_MS + similar_since,
                    ..self.first(who, says)
                };
                self.append(append).await
            }
            Call::BeginAgain { operation } => match self.operation(*operation) {
                Some(held) => {
                    let records = vec![Record { at: self.now, event: leased() }];
                    self.append(append(&held, 0, records)).await
                }
                None => Ok(()),
            },
            Call::Grow { operation, off_by, step, says } => match self.operation(*operation) {
                Some(held) => self.append(self.next(held, *off_by, *step, says)).await,
                None => Ok(()),
            },
            Call::Adopt { check } => {
                let (ours, theirs) =
                    (works(self.ledger().adopt(&check_of(*check)).await)?, self.model.adopt(&check_of(*check)));
                same("adopt", &ours, &theirs)
            }
            Call::NoteRestored { check } => {
                works(self.ledger().note_restored(self.now, &check_of(*check)).await)?;
                self.model.note_restored(self.now, &check_of(*check));
                Ok(())
            }
            Call::Prune { before } => {
                // Seen from so late that no request can still take effect.
                let late = Stamp { wall_ms: BEGAN_MS + LATE_MS, boot_ms: 1 + LATE_MS.unsigned_abs(), ..self.now };
                let for_ms = (LATE_MS - before + 1).unsigned_abs();
                let pruned = works(self.ledger().prune(&Retention::of_all(late, for_ms)).await)?;
                same("prune", &pruned.operations, &self.model.prune(late, for_ms))
            }
            Call::Reopen => {
                self.ledger.reopen().await;
                Ok(())
            }
            read => self.read(read).await,
        }
    }

    async fn read(&self, call: &Call) -> Result<(), String> {
        match call {
            Call::LookUp { operation } => match self.operation(*operation) {
                Some(held) => self.look_up(By::Id(held.id), Some(&held)).await,
                None => self.look_up(By::Id(OperationId::fresh()), None).await,
            },
            Call::LookUpKey { who } => {
                let draft = draft(who);
                let (connection, cell, key) = (&draft.index.connection, &draft.index.cell, &draft.index.key);
                let held = self.model.by_key(connection, cell, key.as_str());
                self.look_up(By::Key { connection, cell, key }, held).await
            }
            Call::LookUpClaim { account, claim } => {
                let (account, id) = (&*format!("account-{account}"), &*claim_of(*claim));
                self.look_up(By::Claim { account, id }, self.model.by_claim(account, id)).await
            }
            Call::Due { serves, now, limit } => self.due(&names(serves), self.at(*now), *limit).await,
            Call::NextDue { serves, after } => {
                let (serves, after) = (names(serves), self.at(*after));
                let later = self.model.dues(&serves).into_iter().map(|(due, _)| due).find(|due| *due > after.wall_ms);
                same("next_due", &works(self.ledger().next_due(&serves, after).await)?, &later)
            }
            Call::List { phases, cell, connection, limit } => {
                let (cell, connection) = (cell.map(cell_of), connection.map(connection_of));
                let filter = Filter { phases: phases.clone(), cell, connection, limit: *limit };
                same("list", &works(self.ledger().list(&filter).await)?, &self.model.list(&filter))
            }
            other => unreachable!("{other:?} is no read"),
        }
    }

    /// Of what is due at the same time, any may come first.
    async fn due(&self, serves: &[Serves], now: Stamp, limit: u32) -> Result<(), String> {
        let given = works(self.ledger().due(serves, now, limit).await)?;
        let dues = self.model.dues(serves);
        let expected: Vec<i64> =
            dues.iter().map(|(due, _)| *due).filter(|due| *due <= now.wall_ms).take(limit as usize).collect();
        let when = |id: &OperationId| dues.iter().find(|(_, known)| known == id).map(|(due, _)| *due);
        same("due", &given.iter().map(when).collect::<Vec<_>>(), &expected.into_iter().map(Some).collect())?;
        let mut once = given.clone();
        once.sort();
        once.dedup();
        same("different ones that are due", &once.len(), &given.len())
    }

    async fn look_up(&self, by: By<'_>, held: Option<&Operation>) -> Result<(), String> {
        let (header, stored) = works(self.ledger().look_up(by.clone()).await)?;
        same("header", &header, &self.model.header)?;
        let loaded = works(self.ledger().load(by).await)?;
        for found in [stored, loaded] {
            let found = found.map(|found| (found.operation, found.records));
            same("look_up", &found, &held.map(|held| (held.id, held.records.clone())))?;
        }
        Ok(())
    }

    async fn append(&mut self, append: Append) -> Result<(), String> {
        let said = |answer| match answer {
            Ok(appended) => Ok(format!("{appended:?}")),
            Err(error @ (LedgerError::Moved | LedgerError::Claimed(_) | LedgerError::Similar(_))) => {
                Ok(format!("{error:?}"))
            }
            Err(error) => Err(format!("the ledger fails: {error}")),
        };
        let ours = said(self.ledger().append(append.clone()).await)?;
        same("append", &ours, &said(self.model.append(&append))?)
    }

    fn first(&self, who: &Who, says: &Says) -> Append {
        let mut draft = draft(who);
        draft.at = self.now;
        draft.index.claim = says.claim.map(claim_of);
        draft.index.due_ms = says.due.map(|due| BEGAN_MS + due);
        draft.first()
    }

    fn next(&self, mut held: Operation, off_by: i8, step: Step, says: &Says) -> Append {
        let is_final = held.index.phase.is_final();
        let (event, phase) = match step {
            // What has ended stays so: its events and its phase would contradict each other.
            _ if is_final => (Event::Alarmed { what: "it is there after all".to_owned() }, held.index.phase),
            Step::Leased => (leased(), Phase::Open),
            Step::Held => (Event::Held(Hold::Restored), Phase::Held),
            Step::Asked => (Event::Asked { why: "two were found".to_owned() }, Phase::Person),
            Step::Happened => (happened("ch_1"), Phase::Succeeded),
            Step::Closed => (Event::Closed { reason: Refusal::new("expired", "too late") }, Phase::Refused),
            Step::Alarmed => (Event::Alarmed { what: "odd".to_owned() }, Phase::Open),
        };
        held.index.phase = phase;
        held.index.claim = says.claim.map(claim_of);
        held.index.due_ms = says.due.map(|due| BEGAN_MS + due);
        let seen = (held.records.len() as u64).saturating_add_signed(off_by.into());
        append(&held, seen, vec![Record { at: self.now, event }])
    }

    /// Everything that can be read, compared.
    async fn whole(&self) -> Result<(), String> {
        for held in &self.model.operations {
            self.look_up(By::Id(held.id), Some(held)).await?;
        }
        same("list", &works(self.ledger().list(&Filter::default()).await)?, &self.model.list(&Filter::default()))?;
        let everything = names(&[(0, 0), (0, 1), (1, 0), (1, 1)]);
        self.due(&everything, self.at(1_000), 1_000).await?;
        same("header", &works(self.ledger().header().await)?, &self.model.header)
    }
}

fn check_of(number: u8) -> String {
    format!("check-{number}")
}

fn append(held: &Operation, seen: u64, records: Vec<Record>) -> Append {
    let (operation, index) = (held.id, held.index.clone());
    Append { operation, seen, records, index, refuse_similar: false, similar_since_ms: 0 }
}

fn draft(who: &Who) -> Draft {
    let draft = Draft::with(&format!("key-{}", who.key), json!({ "amount": who.args }));
    draft.at_place(&connection_of(who.connection), &account_of(who.connection, who.key), &cell_of(who.cell))
}
