//! `hapax run`: an intent, once.

use hapax_core::executor::{OperationView, RunReport};
use hapax_core::identity::OperationKey;
use serde_json::Value;

use super::stop::Stop;
use super::{carry, intent};
use crate::exit::{Exit, Failure};
use crate::open::{Context, Opened};
use crate::progress::Progress;

pub(crate) async fn run(args: &intent::Args, context: &Context) -> Result<Exit, Failure> {
    let (key, value) = args.read(&context.known()?)?;
    // Arguments may come from somebody who types them: until here Ctrl-C does what it always does.
    let stop = Stop::listen()?;
    let work = go(args.clone(), key.clone(), value.clone(), context.clone(), stop.clone());
    carry::carry_out(context, args.grace, stop, work, |opened| find(args, key, value, opened)).await
}

async fn go(
    args: intent::Args,
    key: OperationKey,
    value: Value,
    context: Context,
    mut stop: Stop,
) -> Result<RunReport, Failure> {
    let opened = carry::open(&context, &mut stop).await?;
    let request = args.request(key, value, &opened.config, &opened.clock)?;
    opened.require(&request.connection)?;
    let _progress = Progress::start(&context.output, &format!("{} {}", args.cell, args.key));
    Ok(opened.executor.run(request).await?)
}

/// The operation that this intent has begun, if it has.
async fn find(
    args: &intent::Args,
    key: OperationKey,
    value: Value,
    opened: Opened,
) -> Result<Option<OperationView>, Failure> {
    let request = args.request(key, value, &opened.config, &opened.clock)?;
    match opened.executor.operation_of(&request.connection, &request.cell, &request.key).await? {
        Some(id) => carry::by_id(opened, id).await,
        None => Ok(None),
    }
}
