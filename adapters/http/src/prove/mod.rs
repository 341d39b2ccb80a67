//! A declaration held to the same proof as the catalog's cells: every fault of the conformance kit, against a provider
//! that is made from the declaration.

pub mod server;
mod subject;

use std::sync::Arc;

use hapax_conformance::kit::Kit;
pub use hapax_conformance::kit::{Ended, Report};
use hapax_conformance::planted::{self, Caught};

use crate::{Declared, Problem};
use subject::DeclaredSubject;

/// Names of the faults there are.
pub fn faults() -> Vec<&'static str> {
    hapax_conformance::faults::all().iter().map(|fault| fault.name).collect()
}

/// Plays every fault over every cell with these seeds, or the one that is named.
///
/// # Errors
/// A [`Problem`] where the declaration can't be played: a cell without an example, a path that names no single place.
pub async fn play(declared: &Declared, seeds: &[u64], fault: Option<&str>) -> Result<Report, Problem> {
    let subject = DeclaredSubject::new(declared)?;
    // Whole, whatever the environment says: a proof that a variable makes smaller would still say that it holds.
    let kit = Kit::whole(Arc::new(subject)).seeds(seeds);
    let kit = match fault {
        Some(fault) => kit.faults(&[fault]),
        None => kit,
    };
    Ok(kit.play().await)
}

/// Plays every planted bug over every cell, to see that the kit would notice.
///
/// # Errors
/// As [`play`].
pub async fn planted(declared: &Declared) -> Result<Vec<Caught>, Problem> {
    let subject: Arc<dyn hapax_conformance::kit::Subject> = Arc::new(DeclaredSubject::new(declared)?);
    Ok(planted::play(&subject).await)
}
