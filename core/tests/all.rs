//! Tests of the core from outside, in one binary so that it is linked once.

mod transport;
