use std::collections::BTreeMap;

use super::spread::{ratios, shown};
use crate::keys::Order;
use crate::run::{Kind, RAW, Slot, Work};

/// A measurement as a line for whoever watches.
pub fn line(slot: &Slot) -> String {
    let mut line = format!(
        "{:<14} {:<32} {:>4} callers {:>7.0}/s, p50 {} µs, p99 {} µs",
        slot.target,
        words(slot.work),
        slot.work.callers,
        slot.per_second(),
        slot.measured.p50_us,
        slot.measured.p99_us,
    );
    if slot.busy_others > 0.1 {
        line += &format!(", others used {:.0} % of the cores", slot.busy_others * 100.0);
    }
    if slot.measured.errors > 0 {
        line += &format!(", {} calls failed", slot.measured.errors);
    }
    line
}

fn words(work: Work) -> String {
    let kind = match (work.kind, work.order) {
        (Kind::Replay, _) => "replays",
        (Kind::Fresh, Order::Random) => "new keys",
        (Kind::Fresh, Order::Time) => "new keys in the order of time",
    };
    if work.provider_ms == 0 { kind.to_owned() } else { format!("{kind}, provider takes {} ms", work.provider_ms) }
}

const HEAD: &str = "| with | target | callers | ops/s | share of raw | p50 ms | p99 ms | CPU s/1,000 | commits/op | flushes/op | \
                    appends/commit | KiB written/op | MiB |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";

/// All measurements: a table for each kind of work.
pub(super) fn tables(slots: &[Slot]) -> String {
    let mut by: BTreeMap<String, BTreeMap<(String, u64, String), Vec<&Slot>>> = BTreeMap::new();
    for slot in slots {
        let row = (slot.family.clone(), slot.work.callers, slot.target.clone());
        by.entry(words(slot.work)).or_default().entry(row).or_default().push(slot);
    }
    let table = |(work, rows): (&String, &BTreeMap<_, Vec<&Slot>>)| {
        let rows: String = rows.values().map(|row| self::row(slots, row)).collect();
        format!("**{work}**\n\n{HEAD}{rows}")
    };
    by.iter().map(table).collect::<Vec<_>>().join("\n")
}

fn row(all: &[Slot], slots: &[&Slot]) -> String {
    let Some(first) = slots.first() else { return String::new() };
    let of = |digits: usize, value: &dyn Fn(&Slot) -> f64| {
        shown(&slots.iter().map(|slot| value(slot)).collect::<Vec<_>>(), digits)
    };
    let family: Vec<Slot> = all.iter().filter(|slot| slot.family == first.family).cloned().collect();
    let share =
        if first.target == RAW { "1".to_owned() } else { shown(&ratios(&family, &first.target, RAW, first.work), 3) };
    let counted = slots.iter().any(|slot| slot.measured.committed.commits > 0);
    let unless = |text: String| if counted { text } else { "-".to_owned() };
    let cells = [
        first.family.clone(),
        first.target.clone(),
        first.work.callers.to_string(),
        of(0, &Slot::per_second),
        share,
        of(2, &|slot| slot.measured.p50_us as f64 / 1000.0),
        of(2, &|slot| slot.measured.p99_us as f64 / 1000.0),
        of(3, &|slot| slot.per_operation(slot.cpu_seconds * 1000.0)),
        unless(of(3, &|slot| slot.per_operation(slot.measured.committed.commits as f64))),
        of(3, &|slot| slot.per_operation(slot.disk_flushes as f64)),
        unless(of(1, &Slot::appends_per_commit)),
        of(2, &|slot| slot.per_operation(slot.written_bytes as f64 / 1024.0)),
        of(0, &|slot| slot.memory_bytes as f64 / f64::from(1 << 20)),
    ];
    format!("| {} |\n", cells.join(" | "))
}
