//! Every adapter of this repository, each behind a feature of its name.
//!
//! Interfaces depend on this crate and on nothing per provider.
//!
//! ```
//! # #[cfg(feature = "stripe")]
//! assert!(hapax_catalog::integrations().iter().any(|integration| integration.name() == "stripe"));
//! ```

#[cfg(feature = "standin")]
mod stand_in;

use hapax_core::cell::SharedIntegration;

#[cfg(feature = "standin")]
pub use stand_in::{StandInError, stand_in_credentials, stand_ins, start_stand_in};

/// All integrations that are switched on, sorted by name.
pub fn integrations() -> Vec<SharedIntegration> {
    vec![
        // generated: integrations
        #[cfg(feature = "amadeus")]
        hapax_amadeus::integration(),
        #[cfg(feature = "duffel")]
        hapax_duffel::integration(),
        #[cfg(feature = "github")]
        hapax_github::integration(),
        #[cfg(feature = "gmail")]
        hapax_gmail::integration(),
        #[cfg(feature = "google_calendar")]
        hapax_google_calendar::integration(),
        #[cfg(feature = "hubspot")]
        hapax_hubspot::integration(),
        #[cfg(feature = "ms_graph")]
        hapax_ms_graph::integration(),
        #[cfg(feature = "paypal")]
        hapax_paypal::integration(),
        #[cfg(feature = "postgres")]
        hapax_postgres::integration(),
        #[cfg(feature = "resend")]
        hapax_resend::integration(),
        #[cfg(feature = "sendgrid")]
        hapax_sendgrid::integration(),
        #[cfg(feature = "slack")]
        hapax_slack::integration(),
        #[cfg(feature = "stripe")]
        hapax_stripe::integration(),
        #[cfg(feature = "twilio")]
        hapax_twilio::integration(),
        // /generated
    ]
}

/// The integration of this name.
pub fn integration(name: &str) -> Option<SharedIntegration> {
    integrations().into_iter().find(|integration| integration.name() == name)
}
