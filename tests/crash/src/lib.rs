//! The crash suite: the real `hapax` binary is killed with SIGKILL at every step of its journal and
//! at random, started again, and the effects at the provider are counted. See `tests/all`; what is
//! killed of each adapter stands in `tests/all/jobs`.
