//! The kit: what an adapter hands in, one run, and what must hold after it.

mod bend;
mod check;
mod faulty;
mod finish;
mod process;
mod pulse;
mod reach;
mod report;
mod run;
mod runner;
mod stops;
mod subject;
mod time;
mod upgrade;
mod violation;
mod watch;

pub use bend::{Bends, BentIntegration};
pub use faulty::{Broken, Control, FaultyLedger};
pub use process::{ACCOUNT, CONNECTION, Options, Parts, Process};
pub use reach::{EXPECTED, Reach};
pub use report::{Ended, Report, Row, say};
pub use run::{Intent, Run, WAIT_MS};
pub use runner::Kit;
pub use stops::{Stop, Stops};
pub use subject::{CellSubject, End, Routes, Sample, Site, Subject, found_or_a_persons, members};
pub use time::{SteppedClock, WorldTime};
pub use upgrade::{bent_spec, reworded, upgraded};
pub use violation::{Invariant, Played, Violation, hold};
pub use watch::story_of;

pub(crate) use run::set_up;
