//! What a test lies on: a provider that counts, a proxy that breaks, a ledger, a Restate server, an address for workers.

use std::path::Path;
use std::sync::Arc;

use hapax_core::cell::{Connection, Credentials};
use hapax_core::clock::{Clock, ScaledClock};
use hapax_core::executor::Executor;
use hapax_core::identity::NamespaceSecret;
use hapax_core::protocol::Stamp;
use hapax_core::transport::HttpTransport;
use hapax_ledger_sqlite::SqliteLedger;
use hapax_standin::{Effect, FaultProxy, Kind, Reply, Server, When, World};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::JoinHandle;

use super::restate::Restate;
use super::worker::{Address, Setting, Worker};

/// How much faster than real time hapax and the provider live: a deadline of 80 s is 1.6 s.
const SCALE: u32 = 50;

/// The same where twenty looks have to pass before a person is asked.
const FASTER: u32 = 500;

/// The same where a day has to pass before a last look.
const FASTEST: u32 = 5_000;

/// One of two providers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Provider {
    /// Takes keys, and has handles.
    Stripe,
    /// Takes neither: a message is found by its mark, or a person decides.
    Slack,
}

impl Provider {
    fn integration(self) -> &'static str {
        if self == Self::Stripe { "stripe" } else { "slack" }
    }

    /// Method and path of the request that counts.
    pub(crate) fn shot(self) -> (&'static str, &'static str) {
        match self {
            Self::Stripe => ("POST", "/v1/payment_intents/*/confirm"),
            Self::Slack => ("POST", "/api/chat.postMessage"),
        }
    }

    fn effect(self) -> &'static str {
        if self == Self::Stripe { "charge" } else { "message" }
    }

    /// What is wanted once.
    pub(crate) fn wanted(self) -> Value {
        let money = json!({ "amount": 1050, "currency": "EUR" });
        match self {
            Self::Stripe => {
                json!({ "cell": "stripe.charge", "args": { "amount": money, "payment_method": "pm_card_visa" } })
            }
            Self::Slack => {
                json!({ "cell": "slack.post", "args": { "channel": "C0123456789", "text": "Deploy 7 is done." } })
            }
        }
    }
}

/// The bed of one test.
pub(crate) struct Site {
    provider: Provider,
    scale: u32,
    server: Server,
    pub(crate) proxy: FaultProxy,
    folder: TempDir,
    address: Address,
    restate: Arc<Restate>,
}

impl Site {
    /// With nothing begun and no worker; Restate doesn't know of one yet.
    pub(crate) async fn new(provider: Provider) -> Self {
        Self::at_scale(provider, SCALE).await
    }

    /// The same for what waits long.
    pub(crate) async fn faster(provider: Provider) -> Self {
        Self::at_scale(provider, FASTER).await
    }

    /// The same for what waits for a day.
    pub(crate) async fn fastest(provider: Provider) -> Self {
        Self::at_scale(provider, FASTEST).await
    }

    async fn at_scale(provider: Provider, scale: u32) -> Self {
        let clock = ScaledClock::new(scale);
        let world = World::with_clock(1, Arc::new(move || clock.now().wall_ms));
        let server = match provider {
            Provider::Stripe => hapax_stripe::standin::StandIn::new(world).serve(0).await,
            Provider::Slack => hapax_slack::standin::StandIn::new(world).serve(0).await,
        };
        let server = server.expect("a stand-in");
        let proxy = FaultProxy::start(&server.url()).await.expect("a proxy");
        let folder = tempfile::tempdir().expect("a folder");
        SqliteLedger::create(folder.path().join("ledger")).expect("a ledger");
        write_secret(&folder.path().join("secret"));
        let restate = Arc::new(Restate::start().await);
        Self { provider, scale, server, proxy, folder, address: Address::free(), restate }
    }

    /// Starts the first worker, and tells Restate of it.
    pub(crate) async fn first_worker(&self, pause: Option<&str>) -> Worker {
        let worker = self.worker(pause).await;
        self.restate.register(&self.address.url()).await;
        worker
    }

    /// Starts a worker in the place of one that is gone.
    pub(crate) async fn worker(&self, pause: Option<&str>) -> Worker {
        let setting = Setting {
            address: &self.address,
            folder: self.folder.path(),
            integration: self.provider.integration(),
            provider: &self.proxy.url(),
            scale: self.scale,
        };
        Worker::start(&setting, pause).await
    }

    /// Calls a handler, in a task that waits for its end.
    pub(crate) fn call(&self, handler: &str, body: Value) -> JoinHandle<Reply> {
        let (restate, handler) = (self.restate.clone(), handler.to_owned());
        tokio::spawn(async move { restate.call(&handler, &body).await })
    }

    /// Slack lists nothing that is younger than a year.
    pub(crate) fn hide_what_was_posted(&self) {
        let lists = When { path: Some("/api/conversations.history".to_owned()), ..When::default() };
        self.server.injections().add(lists.always(), Kind::ListLags { by_ms: 365 * 86_400_000 });
    }

    /// The server.
    pub(crate) fn restate(&self) -> &Restate {
        &self.restate
    }

    /// The present moment by hapax's clock.
    pub(crate) fn now(&self) -> Stamp {
        ScaledClock::new(self.scale).now()
    }

    /// The effects at the provider.
    pub(crate) fn effects(&self) -> Vec<Effect> {
        self.server.effects().of(self.provider.effect())
    }

    /// What a person uses: an executor over the workers' ledger, in a process of its own.
    pub(crate) async fn desk(&self) -> Executor {
        let ledger = Arc::new(SqliteLedger::open(self.folder.path().join("ledger")).expect("a ledger"));
        let secret = NamespaceSecret::read(&self.folder.path().join("secret")).expect("a secret");
        let (integration, credentials) = match self.provider {
            Provider::Stripe => (hapax_stripe::integration(), hapax_stripe::standin::CREDENTIALS),
            Provider::Slack => (hapax_slack::integration(), hapax_slack::standin::CREDENTIALS),
        };
        let needs: Vec<String> = integration
            .cells()
            .into_iter()
            .flat_map(|cell| cell.spec().published().1)
            .map(|need| need.words().to_owned())
            .collect();
        let credentials = credentials
            .iter()
            .fold(Credentials::none(), |all, (name, secret)| all.with(name, (*secret).to_owned().into()));
        let connection = Connection::new("shop", integration, credentials).expect("a connection");
        let connection = connection.at(&self.proxy.url()).expect("an address").account("tests").stand_in().meets(needs);
        Executor::builder(ledger, Arc::new(HttpTransport::new()), secret)
            .clock(Arc::new(ScaledClock::new(self.scale)))
            .connection(connection)
            .build()
            .await
            .expect("an executor")
    }
}

fn write_secret(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, NamespaceSecret::generate().expose()).expect("a secret");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).expect("a mode");
}
