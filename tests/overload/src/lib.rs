//! The overload suite: one process with hapax inside, thousands of callers, and everything around them short of
//! something. Each caller gets one answer, and what it says of the effect is held against the provider. See `tests/all`
//! and `docs/internals/overload.md`.
