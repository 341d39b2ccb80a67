//! Keys of operations. All are 36 characters long, as UUIDs are; a slot's seed makes them its own.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// In what order keys come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Without any, as UUIDs of version 4.
    #[default]
    Random,
    /// By time, as UUIDs of version 7.
    Time,
}

impl Order {
    /// The key of the operation with this number.
    pub fn key(self, seed: u64, number: u64) -> String {
        let low = mix(mix(seed) ^ number);
        let high = match self {
            Self::Random => mix(low ^ 0x5851_f42d_4c95_7f2d),
            Self::Time => seed.wrapping_add(number),
        };
        Uuid::from_u64_pair(high, low).to_string()
    }
}

/// A number that looks random and is the same every time (SplitMix64).
pub fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn keys_are_unique_and_come_in_the_order_that_was_asked_for() {
        for order in [Order::Random, Order::Time] {
            let of = |seed| (0..1_000).map(move |number| order.key(seed, number));
            let all: BTreeSet<String> = of(7).chain(of(5_000)).collect();
            assert_eq!(all.len(), 2_000, "{order:?}");
            assert!(all.iter().all(|key| key.len() == 36), "{order:?}");
            let rising = of(7).zip(of(7).skip(1)).filter(|(one, next)| one < next).count();
            assert_eq!(rising == 999, order == Order::Time, "{order:?}: {rising} of 999 rise");
        }
    }
}
