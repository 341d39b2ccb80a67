//! Runs that broke earlier drafts, on the pure functions alone: fold, next, may_send, tokens and
//! capability. Each test is named after its run in the list of holes (a01 to a36) or in the model
//! (m01 to m12).

mod answers;
mod cells;
mod evidence;
mod identity;
mod model;
mod people;
mod run;
mod strict;
mod time;
