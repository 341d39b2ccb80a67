//! Runs that broke earlier drafts of the protocol, each a test: see `tests/`, and `OPEN.md` for
//! those that wait.
