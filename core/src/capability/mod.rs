//! What a provider promises about one operation, as const data with sources.
//!
//! Constructors start from the worst case and every builder call adds one cited fact, so a fact
//! that nobody wrote down counts as its worst value. The published guarantee is derived from this
//! data ([`guarantee`]) and the executor acts on the same data ([`Standing`]).

mod answers;
mod guarantee;
mod native;
mod query;
mod source;
mod spec;
mod standing;

pub use answers::{Code, Meaning, Row, TRANSPORT_ROWS, meaning_of};
pub use guarantee::{Completion, Guarantee, Lasting, SecondEffect, guarantee};
pub use native::{Failures, Field, Life, Native, Repeat, Scope, Then, Token, Twins, Window};
pub use query::{Absence, Annul, Mark, Query};
pub use source::{Need, Source, Sure};
pub use spec::{CellSpec, Class, Fate, Human, Kind, Rung, Stakes};
pub use standing::{Guard, GuardKind, Look, Standing};
