//! Crash.
