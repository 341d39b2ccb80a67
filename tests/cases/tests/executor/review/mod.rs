//! Runs that a review of the core looked for. Each is named for what went wrong.

mod evidence;
mod folds;
mod identity;
mod ledgers;
mod time;
mod toys;
