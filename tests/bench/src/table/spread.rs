use std::collections::BTreeMap;

use crate::run::{Kind, Slot, Work};

/// The median.
pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        even if even % 2 == 0 => Some(f64::midpoint(values[middle - 1], values[middle])),
        _ => Some(values[middle]),
    }
}

/// The median, with the lowest and the highest where there are several.
pub(super) fn shown(values: &[f64], digits: usize) -> String {
    let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match (median(values.to_vec()), values.len()) {
        (None, _) => "-".to_owned(),
        (Some(median), 1) => format!("{median:.digits$}"),
        (Some(median), _) => format!("{median:.digits$} ({lowest:.digits$}–{highest:.digits$})"),
    }
}

/// How much faster one target is than the other on the same work, each in the same repetition of the same family.
pub(super) fn ratios(slots: &[Slot], one: &str, other: &str, work: Work) -> Vec<f64> {
    // There is no replay without a guard: what is replayed is compared with what it saves.
    let base = |slot: &&Slot| slot.target == other && slot.work == Work { kind: Kind::Fresh, ..work };
    let bases: BTreeMap<(&str, u64), f64> =
        slots.iter().filter(base).map(|slot| ((slot.family.as_str(), slot.repetition), slot.per_second())).collect();
    let of = |slot: &Slot| Some(slot.per_second() / bases.get(&(slot.family.as_str(), slot.repetition))?);
    slots.iter().filter(|slot| slot.target == one && slot.work == work).filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![9.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(shown(&[2.0, 1.0, 9.0], 1), "2.0 (1.0–9.0)");
        assert_eq!(shown(&[], 1), "-");
    }
}
