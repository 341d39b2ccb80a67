//! For the unit tests of cells: a [`Desk`] whose provider gives scripted answers.

mod clock;
mod desk;
mod script;

pub use clock::HandClock;
pub use desk::{Desk, body_of, form_of, json_of, word};
pub use script::{Script, response};
