//! Only tests: see `tests/all.rs`.
