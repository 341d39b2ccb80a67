//! The three rules about a key's register say the same as a search over all orders in which things can have happened.

use hapax_histories::check::{Rule, check};
use hapax_histories::history::{Call, Entry, Event, History, Receipt, Said};

/// Numbers by lot, always the same.
struct Lot(u64);

impl Lot {
    fn below(&mut self, end: u64) -> u64 {
        // The step of Marsaglia's xorshift.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// A call of a small history: when it began and ended, whose intent it has, and what it was told.
#[derive(Clone, Copy, Debug)]
struct Small {
    from: u64,
    to: u64,
    intent: u8,
    told: Told,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    /// The end, by a number: a receipt, another one, a refusal.
    End(u8),
    Unknown,
    Unwritten,
    Reused,
    Error,
    Lost,
    /// It has not come back.
    Nothing,
}

const TOLD: [Told; 9] = [
    Told::End(0),
    Told::End(1),
    Told::End(2),
    Told::Unknown,
    Told::Unwritten,
    Told::Reused,
    Told::Error,
    Told::Lost,
    Told::Nothing,
];

/// How a key stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stands {
    Free,
    Taken(u8),
    Final(u8, u8),
}

impl Small {
    /// Whether the key may stand like this at the moment that its answer speaks of.
    fn fits(self, stands: Stands) -> bool {
        match (self.told, stands) {
            (Told::End(end), Stands::Final(intent, at)) => (self.intent, end) == (intent, at),
            (Told::Unknown, Stands::Taken(intent)) => self.intent == intent,
            (Told::Unwritten, Stands::Free | Stands::Taken(_)) => true,
            (Told::Reused, Stands::Taken(intent) | Stands::Final(intent, _)) => self.intent != intent,
            (Told::Error | Told::Lost | Told::Nothing, _) => true,
            _ => false,
        }
    }

    /// Whether it may have taken the key.
    fn takes(self) -> bool {
        self.told != Told::Reused
    }
}

/// Whether there is an order of takes, ends and looks that no answer contradicts. `seen` are the calls whose answer was
/// true at a moment of theirs already.
fn has_order(calls: &[Small], now: u64, stands: Stands, seen: u8) -> bool {
    const END: u64 = 10;
    let runs = |call: &Small| call.from <= now && now < call.to;
    let mut seen = seen;
    for (index, call) in calls.iter().enumerate() {
        // Looking costs nothing, so whoever can, does.
        if runs(call) && call.fits(stands) {
            seen |= 1 << index;
        }
    }
    // Whoever ends here must have been told the truth.
    let is_true = |(index, call): (usize, &Small)| call.to != now + 1 || seen & (1 << index) != 0;
    if now > END {
        return true;
    }
    if calls.iter().enumerate().all(is_true) && has_order(calls, now + 1, stands, seen) {
        return true;
    }
    match stands {
        Stands::Free => {
            let takers = calls.iter().filter(|call| runs(call) && call.takes());
            takers.map(|call| Stands::Taken(call.intent)).any(|next| has_order(calls, now, next, seen))
        }
        Stands::Taken(intent) => (0..3).any(|end| has_order(calls, now, Stands::Final(intent, end), seen)),
        Stands::Final(..) => false,
    }
}

fn said(told: Told) -> Option<Said> {
    let ok = |digest: &str| Said::Ok(Receipt { id: "o".to_owned(), digest: digest.to_owned() });
    let unknown = |next: &str| Said::Unknown { next: next.to_owned(), receipt: None };
    let error = |code: &str| Said::NothingSent { code: code.to_owned() };
    Some(match told {
        Told::End(0) => ok("d"),
        Told::End(1) => ok("e"),
        Told::End(_) => Said::Refused { code: "declined".to_owned() },
        Told::Unknown => unknown("again"),
        Told::Unwritten => unknown(Said::UNWRITTEN),
        Told::Reused => error("key-reused"),
        Told::Error => error("ledger"),
        Told::Lost => Said::Lost,
        Told::Nothing => return None,
    })
}

fn history(calls: &[Small]) -> History {
    let mut history = History::default();
    for (call, number) in calls.iter().zip(0..) {
        let (number, intent) = (Call(number), call.intent.to_string());
        let (key, by, at) = ("k".to_owned(), "x".to_owned(), "w1".to_owned());
        history.entries.push(Entry { at_ms: call.from, event: Event::Invoked { call: number, key, intent, by, at } });
        let came = said(call.told).map(|said| Entry { at_ms: call.to, event: Event::Returned { call: number, said } });
        history.entries.extend(came);
    }
    history.sort();
    history
}

/// A small history. No two things have the same moment.
fn small(lot: &mut Lot) -> Vec<Small> {
    let count = 2 + lot.below(3) as usize;
    let mut moments: Vec<u64> = (1..=2 * count as u64).collect();
    (0..count)
        .map(|_| {
            let mut draw = || moments.swap_remove(lot.below(moments.len() as u64) as usize);
            let (one, other) = (draw(), draw());
            let told = TOLD[lot.below(TOLD.len() as u64) as usize];
            let to = if told == Told::Nothing { u64::MAX } else { one.max(other) };
            Small { from: one.min(other), to, intent: lot.below(2) as u8, told }
        })
        .collect()
}

#[test]
fn the_rules_of_the_register_are_linearizability() {
    const REGISTER: [Rule; 3] = [Rule::SameAnswer, Rule::StaysKnown, Rule::OneIntent];
    let mut lot = Lot(0x9e37_79b9_7f4a_7c15);
    let mut fine = 0;
    const COUNT: usize = 30_000;
    for _ in 0..COUNT {
        let calls = small(&mut lot);
        let history = history(&calls);
        let holds = !check(&history).iter().any(|violation| REGISTER.contains(&violation.rule));
        assert_eq!(holds, has_order(&calls, 0, Stands::Free, 0), "{history}");
        fine += usize::from(holds);
    }
    // Both kinds are met often.
    assert!(fine > COUNT / 10 && fine < COUNT * 9 / 10, "{fine} of {COUNT} can have been");
}
