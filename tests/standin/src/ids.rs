use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Ids that look like a provider's and are the same in every run with the same seed.
#[derive(Clone, Debug)]
pub struct Ids {
    seed: u64,
    made: Arc<AtomicU64>,
}

impl Ids {
    /// Ids of one world; another seed gives other ids.
    pub fn new(seed: u64) -> Self {
        Self { seed, made: Arc::new(AtomicU64::new(0)) }
    }

    /// The next id: the prefix, an underscore and `length` letters and digits.
    pub fn next(&self, prefix: &str, length: usize) -> String {
        format!("{prefix}_{}", self.letters(length))
    }

    /// The next id as `length` letters and digits alone.
    pub fn letters(&self, length: usize) -> String {
        let number = self.count();
        let mut state = self.seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut next = || {
            state = splitmix(state);
            char::from(ALPHABET[(state % 62) as usize])
        };
        (0..length).map(|_| next()).collect()
    }

    /// The next id as hexadecimal digits, two for each of `bytes`.
    pub fn hex(&self, bytes: usize) -> String {
        self.letters(bytes).bytes().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The next id as a number, for providers that count: 1 is the first of a world.
    pub fn number(&self) -> u64 {
        self.count() + 1
    }

    fn count(&self) -> u64 {
        self.made.fetch_add(1, Ordering::SeqCst)
    }

    /// Begins anew, so that a world that was reset names its objects as it did the first time.
    pub(crate) fn reset(&self) {
        self.made.store(0, Ordering::SeqCst);
    }
}

/// One step of splitmix64, which is enough to spread a counter over an alphabet.
fn splitmix(state: u64) -> u64 {
    let mixed = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_same_seed_names_the_same_objects_and_no_two_alike() {
        let (one, two) = (Ids::new(7), Ids::new(7));
        let first: Vec<String> = (0..1000).map(|_| one.next("pi", 24)).collect();
        let second: Vec<String> = (0..1000).map(|_| two.next("pi", 24)).collect();
        assert_eq!(first, second);
        assert_eq!(first.iter().collect::<HashSet<_>>().len(), 1000);
        assert_ne!(Ids::new(8).next("pi", 24), first[0]);
        assert_eq!(Ids::new(7).letters(24), first[0][3..]);
    }

    #[test]
    fn ids_come_in_the_forms_that_providers_have() {
        let ids = Ids::new(7);
        let hex = ids.hex(16);
        assert!(hex.len() == 32 && hex.bytes().all(|digit| digit.is_ascii_hexdigit()), "{hex}");
        assert_eq!((ids.number(), ids.number()), (2, 3));
    }
}
