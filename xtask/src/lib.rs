//! The examples in the project's documents, compiled and run as tests.
//!
//! The chores are the binary beside this file.

/// `README.md` of the repository.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
