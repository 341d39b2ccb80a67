use std::sync::Arc;

use serde_json::Value;

use super::event::{Decision, Found};
use super::{Event, Receipt, Record, Verdict};

/// Removes arguments and receipts from the records of a final operation and marks it as pruned.
/// Ids, fingerprints, refusals and times stay: a pruned key stays closed (rule 15).
pub fn redact(records: &mut Vec<Record>) {
    for record in records.iter_mut() {
        match &mut record.event {
            Event::Began(intent) | Event::Superseded { intent, .. } => intent.args = Arc::new(Value::Null),
            Event::Heard(heard) => {
                if let Verdict::Happened { receipt } = &mut heard.verdict {
                    empty(receipt);
                }
            }
            Event::Looked(looked) => {
                if let Found::Happened { receipt } = &mut looked.found {
                    empty(receipt);
                }
            }
            Event::Witnessed { receipt, .. } | Event::Decided { decision: Decision::Happened { receipt }, .. } => {
                empty(receipt)
            }
            Event::Noted { value, .. } => value.clear(),
            _ => {}
        }
    }
    if let Some(last) = records.last() {
        let at = last.at;
        records.push(Record { at, event: Event::Pruned });
    }
}

fn empty(receipt: &mut Receipt) {
    receipt.body = Arc::new(Value::Null);
}
