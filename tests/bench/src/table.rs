//! Slots as tables.

use std::collections::BTreeMap;

use crate::run::{Kind, RAW, Slot, Work};

/// A slot as a line for whoever watches.
pub fn line(slot: &Slot) -> String {
    let Work { kind, order, provider_ms, callers } = slot.work;
    format!(
        "{:<16} {kind:?} {order:?} {provider_ms} ms, {callers} callers: {:.0}/s, p50 {} µs, p99 {} µs, cpu {:.4}, commits {:.3}, probe {} µs, others {:.0} %{}",
        slot.target,
        slot.per_second(),
        slot.measured.p50_us,
        slot.measured.p99_us,
        slot.per_operation(slot.cpu_seconds * 1000.0),
        slot.per_operation(slot.measured.committed.commits as f64),
        slot.probe_us,
        slot.busy_others * 100.0,
        if slot.measured.errors > 0 { format!(", {} ERRORS", slot.measured.errors) } else { String::new() },
    )
}

/// All slots, by work and target.
pub fn tables(slots: &[Slot]) -> String {
    let mut by: BTreeMap<(Work, &str), Vec<&Slot>> = BTreeMap::new();
    for slot in slots {
        by.entry((slot.work, &slot.target)).or_default().push(slot);
    }
    let mut text = "| work | target | callers | ops/s | share of raw | p50 µs | p99 µs | CPU s/1,000 | commits/op | disk flushes/op | appends/commit | MiB | probe µs | others % |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n".to_owned();
    for ((work, target), slots) in &by {
        let of = |f: &dyn Fn(&Slot) -> f64| spread(slots.iter().map(|slot| f(slot)).collect(), 0);
        let fine = |f: &dyn Fn(&Slot) -> f64, digits| spread(slots.iter().map(|slot| f(slot)).collect(), digits);
        let raw = by.get(&(Work { kind: Kind::Fresh, ..*work }, RAW));
        let shares: Vec<f64> = slots
            .iter()
            .filter_map(|slot| {
                let base = raw?.iter().find(|raw| raw.repetition == slot.repetition)?;
                Some(slot.per_second() / base.per_second())
            })
            .collect();
        let work_name = format!("{:?} {:?} {} ms", work.kind, work.order, work.provider_ms);
        text += &format!(
            "| {work_name} | {target} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
            work.callers,
            of(&Slot::per_second),
            spread(shares, 3),
            of(&|slot| slot.measured.p50_us as f64),
            of(&|slot| slot.measured.p99_us as f64),
            fine(&|slot| slot.per_operation(slot.cpu_seconds * 1000.0), 4),
            fine(&|slot| slot.per_operation(slot.measured.committed.commits as f64), 3),
            fine(&|slot| slot.per_operation(slot.disk_flushes as f64), 3),
            fine(&|slot| slot.measured.committed.appends as f64 / slot.measured.committed.commits.max(1) as f64, 1),
            of(&|slot| slot.memory_bytes as f64 / f64::from(1 << 20)),
            of(&|slot| slot.probe_us as f64),
            fine(&|slot| slot.busy_others * 100.0, 0),
        );
    }
    text
}

/// The median, with the lowest and the highest.
fn spread(mut values: Vec<f64>, digits: usize) -> String {
    values.sort_by(f64::total_cmp);
    match values.as_slice() {
        [] => "-".to_owned(),
        [one] => format!("{one:.digits$}"),
        [lowest, .., highest] => {
            let middle = values.len() / 2;
            let median =
                if values.len() % 2 == 1 { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) };
            format!("{median:.digits$} ({lowest:.digits$}–{highest:.digits$})")
        }
    }
}
