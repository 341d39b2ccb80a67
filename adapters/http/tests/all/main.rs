//! Declarations: what is read, what is refused, and what is sent.

mod guarantees;
mod problems;
mod requests;

use hapax_core::cell::SharedIntegration;

const PAYMENTS: &str = include_str!("../../../../docs/declare/payments.toml");
const TICKETS: &str = include_str!("../../../../docs/declare/tickets.toml");
const PROFILES: &str = include_str!("../../../../docs/declare/profiles.toml");
const RELAY: &str = include_str!("../../../../docs/declare/relay.toml");

fn read(text: &str) -> SharedIntegration {
    hapax_http::Declared::read("test.toml", text).unwrap_or_else(|problem| panic!("{problem}")).integration()
}
