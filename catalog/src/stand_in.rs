use std::fmt;
use std::io;

use hapax_standin::{Clock, Server, World};

/// Why a stand-in could not be started.
#[derive(Debug)]
pub enum StandInError {
    /// There is no stand-in of this name.
    Unknown {
        /// Which.
        integration: String,
        /// The ones there are.
        known: Vec<&'static str>,
    },
    /// The port can't be had.
    Port(u16, io::Error),
}

impl fmt::Display for StandInError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { integration, known } => {
                write!(f, "there is no stand-in for {integration:?}; there are: {}", known.join(", "))
            }
            Self::Port(port, error) => write!(f, "port {port} of 127.0.0.1 can't be had ({error})"),
        }
    }
}

impl std::error::Error for StandInError {}

/// Integrations that have a stand-in.
pub fn stand_ins() -> Vec<&'static str> {
    vec![
        // generated: names
        #[cfg(feature = "amadeus")]
        "amadeus",
        #[cfg(feature = "duffel")]
        "duffel",
        #[cfg(feature = "github")]
        "github",
        #[cfg(feature = "gmail")]
        "gmail",
        #[cfg(feature = "google_calendar")]
        "google_calendar",
        #[cfg(feature = "hubspot")]
        "hubspot",
        #[cfg(feature = "ms_graph")]
        "ms_graph",
        #[cfg(feature = "paypal")]
        "paypal",
        #[cfg(feature = "resend")]
        "resend",
        #[cfg(feature = "sendgrid")]
        "sendgrid",
        #[cfg(feature = "slack")]
        "slack",
        #[cfg(feature = "stripe")]
        "stripe",
        #[cfg(feature = "twilio")]
        "twilio",
        // /generated
    ]
}

/// Credentials that a stand-in accepts, by field, for connections that are marked as one and name
/// none of their own.
pub fn stand_in_credentials(integration: &str) -> &'static [(&'static str, &'static str)] {
    match integration {
        // generated: credentials
        #[cfg(feature = "amadeus")]
        "amadeus" => hapax_amadeus::standin::CREDENTIALS,
        #[cfg(feature = "duffel")]
        "duffel" => hapax_duffel::standin::CREDENTIALS,
        #[cfg(feature = "github")]
        "github" => hapax_github::standin::CREDENTIALS,
        #[cfg(feature = "gmail")]
        "gmail" => hapax_gmail::standin::CREDENTIALS,
        #[cfg(feature = "google_calendar")]
        "google_calendar" => hapax_google_calendar::standin::CREDENTIALS,
        #[cfg(feature = "hubspot")]
        "hubspot" => hapax_hubspot::standin::CREDENTIALS,
        #[cfg(feature = "ms_graph")]
        "ms_graph" => hapax_ms_graph::standin::CREDENTIALS,
        #[cfg(feature = "paypal")]
        "paypal" => hapax_paypal::standin::CREDENTIALS,
        #[cfg(feature = "resend")]
        "resend" => hapax_resend::standin::CREDENTIALS,
        #[cfg(feature = "sendgrid")]
        "sendgrid" => hapax_sendgrid::standin::CREDENTIALS,
        #[cfg(feature = "slack")]
        "slack" => hapax_slack::standin::CREDENTIALS,
        #[cfg(feature = "stripe")]
        "stripe" => hapax_stripe::standin::CREDENTIALS,
        #[cfg(feature = "twilio")]
        "twilio" => hapax_twilio::standin::CREDENTIALS,
        // /generated
        _ => &[],
    }
}

/// Starts an integration's stand-in on 127.0.0.1; port 0 takes a free one. It lives by `clock`, and
/// stops when the server is dropped.
///
/// # Errors
/// [`StandInError`].
pub async fn start_stand_in(integration: &str, port: u16, clock: Clock) -> Result<Server, StandInError> {
    /// Ids are numbered from a seed, so that a run can be compared with another one.
    const SEED: u64 = 1;
    let world = World::with_clock(SEED, clock);
    let served: Option<io::Result<Server>> = match integration {
        // generated: servers
        #[cfg(feature = "amadeus")]
        "amadeus" => Some(hapax_amadeus::standin::StandIn::new(world).serve(port).await),
        #[cfg(feature = "duffel")]
        "duffel" => Some(hapax_duffel::standin::StandIn::new(world).serve(port).await),
        #[cfg(feature = "github")]
        "github" => Some(hapax_github::standin::StandIn::new(world).serve(port).await),
        #[cfg(feature = "gmail")]
        "gmail" => Some(hapax_gmail::standin::StandIn::new(world).serve(port).await),
        #[cfg(feature = "google_calendar")]
        "google_calendar" => Some(hapax_google_calendar::standin::StandIn::new(world).serve(port).await),
        #[cfg(feature = "hubspot")]
        "hubspot" => Some(hapax_hubspot::standin::StandIn::new(world).serve(port).await),
        #[cfg(feature = "ms_graph")]
        "ms_graph" => Some(hapax_ms_graph::standin::StandIn::new(world).serve(port).await),
        #[cfg(feature = "paypal")]
        "paypal" => Some(hapax_paypal::standin::StandIn::new(world).serve(port).await),
        #[cfg(feature = "resend")]
        "resend" => Some(hapax_resend::standin::StandIn::new(world).serve(port).await),
        #[cfg(feature = "sendgrid")]
        "sendgrid" => Some(hapax_sendgrid::standin::StandIn::new(world).serve(port).await),
        #[cfg(feature = "slack")]
        "slack" => Some(hapax_slack::standin::StandIn::new(world).serve(port).await),
        #[cfg(feature = "stripe")]
        "stripe" => Some(hapax_stripe::standin::StandIn::new(world).serve(port).await),
        #[cfg(feature = "twilio")]
        "twilio" => Some(hapax_twilio::standin::StandIn::new(world).serve(port).await),
        // /generated
        _ => {
            drop(world);
            None
        }
    };
    match served {
        Some(served) => served.map_err(|error| StandInError::Port(port, error)),
        None => Err(StandInError::Unknown { integration: integration.to_owned(), known: stand_ins() }),
    }
}
