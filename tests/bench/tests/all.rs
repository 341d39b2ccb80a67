//! Counts of the whole path, from the caller to the flush: they are the same on every machine. Times are measured by
//! `cargo xtask bench` and never tested.

mod all {
    mod counts;
    mod talk;
}
