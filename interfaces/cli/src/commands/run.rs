//! `hapax run`: an intent, once.

use super::{intent, reported};
use crate::exit::{Exit, Failure};
use crate::open::Context;
use crate::progress::Progress;

pub(crate) async fn run(args: &intent::Args, context: &Context) -> Result<Exit, Failure> {
    let (key, value) = args.read(&context.known()?)?;
    let opened = context.open().await?;
    let request = args.request(key, value, &opened.config, &opened.clock)?;
    opened.require(&request.connection)?;
    let progress = Progress::start(&context.output, &format!("{} {}", args.cell, args.key));
    let report = opened.executor.run(request).await?;
    drop(progress);
    Ok(reported(context, &report))
}
