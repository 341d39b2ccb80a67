use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hapax_core::capability::CellSpec;
use hapax_core::cell::{Context, ErasedCell, SharedCell, Shot, Step};
use hapax_core::money::Money;
use hapax_core::protocol::Receipt;
use hapax_core::transport::{Body, Gate, Request, Response, SharedTransport, Transport};
use hapax_core::words::{Answer, Fault, Finding};
use serde_json::Value;
use url::Url;

/// A cell that promises something else than it did.
struct Respecified {
    below: SharedCell,
    spec: &'static CellSpec,
}

/// The cell with other facts. They live as long as the program, as facts do.
pub fn bent_spec(cell: SharedCell, bend: impl FnOnce(&mut CellSpec)) -> SharedCell {
    let mut spec = *cell.spec();
    bend(&mut spec);
    Arc::new(Respecified { below: cell, spec: Box::leak(Box::new(spec)) })
}

/// The next version of a cell.
pub fn upgraded(cell: SharedCell) -> SharedCell {
    bent_spec(cell, |spec| spec.version += 1)
}

#[async_trait]
impl ErasedCell for Respecified {
    fn spec(&self) -> &'static CellSpec {
        self.spec
    }

    fn schema(&self) -> Value {
        self.below.schema()
    }

    fn check(&self, args: &Value) -> Result<Value, String> {
        self.below.check(args)
    }

    fn volatile(&self) -> &'static [&'static str] {
        self.below.volatile()
    }

    fn money(&self, args: &Value) -> Option<Money> {
        self.below.money(args)
    }

    async fn prepare(&self, cx: &Context, args: &Value) -> Result<Step<Receipt>, Fault> {
        self.below.prepare(cx, args).await
    }

    async fn attempt(&self, shot: Shot<'_>, args: &Value) -> Answer<Receipt> {
        self.below.attempt(shot, args).await
    }

    async fn find(&self, cx: &Context, args: &Value) -> Result<Finding<Receipt>, Fault> {
        self.below.find(cx, args).await
    }

    async fn fetch(&self, cx: &Context, args: &Value, id: &str) -> Result<Option<Receipt>, Fault> {
        self.below.fetch(cx, args, id).await
    }

    async fn follow(&self, cx: &Context, args: &Value, id: &str) -> Result<Option<Receipt>, Fault> {
        self.below.follow(cx, args, id).await
    }

    fn fate(&self, receipt: &Receipt) -> Option<(String, bool)> {
        self.below.fate(receipt)
    }
}

/// A transport that writes the request that counts in other words than the version before.
struct Reworded(SharedTransport);

/// The transport of a version that encodes differently.
pub fn reworded(transport: SharedTransport) -> SharedTransport {
    Arc::new(Reworded(transport))
}

#[async_trait]
impl Transport for Reworded {
    async fn ask(&self, base: &Url, request: Request, within: Duration) -> Result<Response, Fault> {
        self.0.ask(base, request, within).await
    }

    async fn shoot(&self, base: &Url, mut request: Request, gate: Gate) -> Result<Response, Fault> {
        match &mut request.body {
            Body::Form(pairs) => pairs.push(("expand[0]".to_owned(), "id".to_owned())),
            Body::Json(Value::Object(members)) => {
                members.insert("expand".to_owned(), "id".into());
            }
            _ => {}
        }
        self.0.shoot(base, request, gate).await
    }
}
