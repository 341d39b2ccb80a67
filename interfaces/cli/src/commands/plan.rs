//! `hapax plan`: what running an intent would do.

use super::intent;
use crate::exit::{Exit, Failure};
use crate::open::Context;

pub(crate) async fn run(args: &intent::Args, context: &Context) -> Result<Exit, Failure> {
    let (key, value) = args.read(&context.known()?)?;
    let opened = context.open().await?;
    let request = args.request(key, value, &opened.config, &opened.clock)?;
    opened.require(&request.connection)?;
    let plan = opened.executor.plan(&request).await?;
    let output = &context.output;
    output.line(format!("nothing was sent: running {} would {}", plan.cell, plan.would));
    output.pair("connection", &plan.connection);
    if let Some(existing) = plan.existing {
        output.pair("operation", existing);
    }
    output.pair("guarantee", &plan.sentence);
    output.pair("same as", format!("any intent with the fingerprint {}", plan.fingerprint));
    output.answer(Exit::Succeeded, &plan);
    Ok(Exit::Succeeded)
}
