//! The real binary, killed and started again, against a provider that counts effects.

mod bed;
mod binary;
mod callers;
mod canaries;
mod jobs;
mod kept;
mod process;
mod random;
mod steps;
mod tally;
mod workers;
