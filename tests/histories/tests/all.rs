//! All tests of histories, in one program.

#[path = "all/good.rs"]
mod good;
#[path = "all/kept.rs"]
mod kept;
#[path = "all/linearizable.rs"]
mod linearizable;
#[path = "all/rules.rs"]
mod rules;
#[path = "all/runs.rs"]
mod runs;
#[path = "all/shrinking.rs"]
mod shrinking;
#[path = "all/support.rs"]
mod support;
#[path = "all/text.rs"]
mod text;
