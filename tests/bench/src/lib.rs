//! What a guarded call costs, beside the unguarded call and beside others' guards, taking turns on one machine.

pub mod cell;
mod client;
pub mod drive;
pub mod keys;
pub mod load;
pub mod machine;
pub mod moment;
mod progress;
pub mod provider;
pub mod run;
pub mod say;
pub mod table;
