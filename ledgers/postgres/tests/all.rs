//! The PostgreSQL ledger on a PostgreSQL of its own. Where none is installed, each test says that it was left out.
#![cfg(unix)]

mod all {
    pub(super) mod support;

    mod broken;
    mod contract;
    mod crash;
    mod durable;
    mod hosts;
}
