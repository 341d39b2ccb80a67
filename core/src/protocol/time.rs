use serde::{Deserialize, Serialize};

/// A moment by every clock we have. No single clock is trusted: see [`Elapsed`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Stamp {
    /// Milliseconds since 1970 by the wall clock, which may step.
    #[serde(rename = "wall")]
    pub wall_ms: i64,
    /// Milliseconds since boot by a clock that counts sleep.
    #[serde(rename = "awake")]
    pub boot_ms: u64,
    /// Which boot of which machine; the clock above means nothing across two of them.
    #[serde(rename = "boot")]
    pub boot: u64,
}

/// Time between two stamps at its worst over all clocks: longest for windows, shortest for settle,
/// deadlines and leases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elapsed {
    /// No clock says that less has passed.
    pub at_least_ms: u64,
    /// No clock says that more has passed.
    pub at_most_ms: u64,
}

impl Stamp {
    /// How far the wall clocks of two machines may differ before a record of the one lies in the
    /// future of the other.
    pub const TOLERANCE_MS: i64 = 60_000;

    /// A stamp of a scripted clock: wall and boot agree.
    pub const fn scripted(ms: u64) -> Self {
        Self { wall_ms: ms as i64, boot_ms: ms, boot: 0 }
    }
}

impl Elapsed {
    /// From `earlier` to `later`. A clock that ran backwards counts as zero.
    pub fn between(earlier: Stamp, later: Stamp) -> Self {
        let wall = u64::try_from(later.wall_ms.saturating_sub(earlier.wall_ms)).unwrap_or(0);
        if earlier.boot != later.boot {
            return Self { at_least_ms: wall, at_most_ms: wall };
        }
        let boot = later.boot_ms.saturating_sub(earlier.boot_ms);
        Self { at_least_ms: wall.min(boot), at_most_ms: wall.max(boot) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_of_the_wall_clock_neither_opens_a_window_nor_ends_a_settle() {
        let start = Stamp { wall_ms: 100_000, boot_ms: 5_000, boot: 1 };
        let back = Stamp { wall_ms: 40_000, boot_ms: 8_000, boot: 1 };
        assert_eq!(Elapsed::between(start, back), Elapsed { at_least_ms: 0, at_most_ms: 3_000 });
        let ahead = Stamp { wall_ms: 900_000, boot_ms: 8_000, boot: 1 };
        assert_eq!(Elapsed::between(start, ahead), Elapsed { at_least_ms: 3_000, at_most_ms: 800_000 });
    }
}
