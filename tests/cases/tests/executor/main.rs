//! Runs of `holes.md` that need the executor: a provider in memory, paused time, the real protocol.

mod bed;
mod groups;
mod identity;
mod in_doubt;
mod ledger_troubles;
mod measured;
mod outcomes;
mod people;
mod provider;
mod retention;
mod review;
mod toy;
mod work;
