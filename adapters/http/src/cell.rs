//! A declared cell at work.

use std::sync::Arc;

use async_trait::async_trait;
use hapax_core::capability::{CellSpec, Kind};
use hapax_core::cell::{Context, ErasedCell, Shot, Step};
use hapax_core::identity::Names;
use hapax_core::money::Money;
use hapax_core::protocol::Receipt;
use hapax_core::transport::Request;
use hapax_core::words::{Answer, Fault, Finding, found};
use serde_json::{Map, Value};

use crate::arguments::Arguments;
use crate::look::Look;
#[cfg(feature = "prove")]
use crate::look::Ours;
use crate::request::RequestTemplate;
use crate::select::{Path, as_text};
use crate::template::{OWN, Scope, Template, scope};

/// A cell that somebody declared.
pub(crate) struct DeclaredCell {
    pub(crate) spec: &'static CellSpec,
    pub(crate) arguments: Arguments,
    pub(crate) volatile: &'static [&'static str],
    /// Names of the arguments that are the amount in minor units, and the currency.
    pub(crate) money: Option<(String, String)>,
    pub(crate) request: RequestTemplate,
    /// The status of a success without a body.
    pub(crate) empty_success: Option<u16>,
    pub(crate) receipt: ReceiptPaths,
    pub(crate) look: Option<Look>,
    /// Path of one record, by the provider's id.
    pub(crate) record: Option<Template>,
    pub(crate) fate: Option<FatePaths>,
}

/// What a success gives back.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReceiptPaths {
    pub(crate) id: Option<Path>,
    pub(crate) keep: Vec<(String, Path)>,
    /// What it repeats of the intent: name, where, and what it must be.
    pub(crate) echo: Vec<(String, Path, Template)>,
}

/// What has become of it.
#[derive(Clone, Debug)]
pub(crate) struct FatePaths {
    pub(crate) status: String,
    pub(crate) failed: Vec<String>,
}

impl DeclaredCell {
    fn scope(&self, names: &Names, args: &Value) -> Scope {
        // The key and the id are one token of ours: a cell has one of them.
        let token = names.token("send");
        let [key, id, mark] = OWN;
        scope(args, &[(key, token.clone()), (id, token), (mark, names.mark())])
    }

    /// The whole body of a success, for what it holds and what not.
    #[cfg(feature = "prove")]
    pub(crate) async fn answer(&self, shot: Shot<'_>, args: &Value) -> Answer<Value> {
        match self.request.write(&self.scope(shot.names(), args)) {
            Ok(request) => shot.send(request, Answer::Happened).await,
            Err(why) => Answer::NotDone(format!("not sent: {why}"), None),
        }
    }

    /// How many records the look shows, whosever they are.
    #[cfg(feature = "prove")]
    pub(crate) async fn shown(&self, cx: &Context, args: &Value) -> Result<usize, Fault> {
        let Some(look) = &self.look else { return Ok(0) };
        let anybodys = Look { ours: Ours::default(), ..look.clone() };
        Ok(anybodys.ask(cx, &self.scope(cx.names(), args)).await?.len())
    }

    /// A body as a receipt, unless it speaks of something else than the intent.
    fn receipt(&self, body: &Value, scope: &Scope) -> Result<Receipt, Fault> {
        let mut differ = Vec::new();
        for (name, path, template) in &self.receipt.echo {
            let wanted = template.value(scope).map_err(Fault::NotSent)?;
            // Answers may leave out what they repeat elsewhere; what they do repeat must be the same.
            if path.one(body).is_some() && wanted.is_some_and(|wanted| !path.is(body, &wanted)) {
                differ.push(name.as_str());
            }
        }
        if !differ.is_empty() {
            return Err(Fault::Echo(differ.join(", ")));
        }
        let id = match &self.receipt.id {
            Some(path) => {
                path.text(body).ok_or_else(|| Fault::Unread(format!("it holds no id at `{}`", path.as_str())))?
            }
            None => String::new(),
        };
        let mut kept = Map::new();
        kept.insert("id".to_owned(), Value::String(id.clone()));
        for (name, path) in &self.receipt.keep {
            kept.extend(path.one(body).map(|value| (name.clone(), value.clone())));
        }
        Ok(Receipt { id, body: Arc::new(Value::Object(kept)) })
    }
}

#[async_trait]
impl ErasedCell for DeclaredCell {
    fn spec(&self) -> &'static CellSpec {
        self.spec
    }

    fn schema(&self) -> Value {
        self.arguments.schema().clone()
    }

    fn check(&self, args: &Value) -> Result<Value, String> {
        self.arguments.check(args)?;
        if self.money.is_some() {
            // A policy by amount must not be passed by an amount that can't be read.
            let money = self.money(args).ok_or("the money at stake can't be read: give an amount and a currency")?;
            money.check().map_err(|error| error.to_string())?;
        }
        // What can't be written would never be sent, however often.
        self.request.write(&scope(args, &OWN.map(|name| (name, name.to_owned()))))?;
        Ok(args.clone())
    }

    fn volatile(&self) -> &'static [&'static str] {
        self.volatile
    }

    fn money(&self, args: &Value) -> Option<Money> {
        let (amount, currency) = self.money.as_ref()?;
        let amount = args.get(amount)?.as_i64()?;
        Some(Money { amount, currency: args.get(currency)?.as_str()?.to_owned() })
    }

    async fn prepare(&self, _cx: &Context, _args: &Value) -> Result<Step<Receipt>, Fault> {
        Ok(Step::Ready)
    }

    async fn attempt(&self, shot: Shot<'_>, args: &Value) -> Answer<Receipt> {
        let scope = self.scope(shot.names(), args);
        let request = match self.request.write(&scope) {
            Ok(request) => request,
            Err(why) => return Answer::NotDone(format!("not sent: {why}"), None),
        };
        let read = |body: &Value| match self.receipt(body, &scope) {
            Ok(receipt) => Answer::Happened(receipt),
            Err(fault) => Answer::Unclear(fault),
        };
        match self.empty_success {
            Some(status) => shot.send_for_status(request, status, |_| read(&Value::Null)).await,
            None => shot.send(request, |body: Value| read(&body)).await,
        }
    }

    async fn find(&self, cx: &Context, args: &Value) -> Result<Finding<Receipt>, Fault> {
        let Some(look) = &self.look else {
            return Ok(Finding::CannotTell("nothing can be asked".to_owned()));
        };
        let scope = self.scope(cx.names(), args);
        let records = look.ask(cx, &scope).await?;
        let receipts = records.iter().map(|record| self.receipt(record, &scope));
        Ok(found(receipts.collect::<Result<_, _>>()?))
    }

    async fn fetch(&self, cx: &Context, args: &Value, id: &str) -> Result<Option<Receipt>, Fault> {
        let unread = |why: &str| Err(Fault::Unread(why.to_owned()));
        if self.spec.kind == Kind::BeSo {
            return match self.find(cx, args).await? {
                Finding::Happened(receipt) if receipt.id == id => Ok(Some(receipt)),
                Finding::Happened(_) => Err(Fault::Echo("id".to_owned())),
                _ => unread("it can't be seen to be as it should be"),
            };
        }
        let Some(record) = &self.record else { return unread("records can't be read by id here") };
        let path = record.render(&scope(&Value::Null, &[("id", id.to_owned())])).map_err(Fault::NotSent)?;
        let Some(path) = path else { return unread("the id is empty") };
        let Some(body) = cx.get::<Value>(Request::get(path)).await? else { return Ok(None) };
        let scope = self.scope(cx.names(), args);
        // A record that somebody names must hold what a look would go by, where there is one.
        if let Some(look) = &self.look
            && !look.ours.is_held_by(&body, &scope)?
        {
            return Err(Fault::Echo("what a look goes by".to_owned()));
        }
        self.receipt(&body, &scope).map(Some)
    }

    fn fate(&self, receipt: &Receipt) -> Option<(String, bool)> {
        let fate = self.fate.as_ref()?;
        let status = receipt.body.get(&fate.status).and_then(as_text)?;
        let failed = fate.failed.contains(&status);
        Some((status, failed))
    }
}
