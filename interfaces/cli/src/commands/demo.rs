//! demo
use crate::exit::{Exit, Failure};
use crate::open::Context;
pub(crate) async fn run(_context: &Context) -> Result<Exit, Failure> {
    Err(Failure::internal("nothing was sent: the demo isn't there yet"))
}
