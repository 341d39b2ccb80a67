//! The PostgreSQL ledger on a PostgreSQL of its own. Where none is installed, each test says that it was left out.
#![cfg(unix)]

mod all {
    pub(super) mod pooler;
    pub(super) mod relay;
    pub(super) mod replica;
    pub(super) mod support;

    mod behind_pooler;
    mod broken;
    mod contract;
    mod crash;
    mod crowded;
    mod durable;
    mod failover;
    mod hosts;
    mod look_up;
    mod partitions;
    mod silent;
    mod tls;
    mod watch;
}
