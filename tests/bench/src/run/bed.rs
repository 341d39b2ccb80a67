//! Everything that runs while a family is measured.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hapax_standin::third_party::postgres::{Cluster, PASSWORD, USER};
use serde::Deserialize;
use tempfile::TempDir;
use tokio::process::Command;

use super::provider::Provider;
use super::talker::{Driver, Talker, ourselves};
use super::targets::{AGENT_EFFECTS, DBOS, POSTGRES, Peers, RAW, RESTATE, SQLITE};
use crate::client;
use crate::drive::POSTGRES_URL;
use crate::machine::Processes;
use crate::moment::Moment;

/// Provider, database and drivers.
pub(super) struct Bed {
    pub(super) provider: Provider,
    folder: TempDir,
    peers: Peers,
    cluster: Option<Cluster>,
    restate: Option<Restate>,
    drivers: BTreeMap<&'static str, Driver>,
}

/// What PostgreSQL is told besides its defaults: room, and nothing about durability.
const SETTINGS: &str = "shared_buffers = '256MB'\nmax_wal_size = '4GB'";

/// Restate is at its best here with as many; its default of 24 spreads batches thin.
const PARTITIONS: &str = "4";

/// How long Restate gets to take calls.
const PATIENCE: Duration = Duration::from_secs(60);

impl Bed {
    /// A bed whose data lie in this folder.
    pub(super) async fn make(at: &Path, peers: Peers) -> Result<Self, String> {
        let folder = tempfile::tempdir_in(at).map_err(|error| format!("{}: {error}", at.display()))?;
        let provider = Provider::start().await?;
        Ok(Self { provider, folder, peers, cluster: None, restate: None, drivers: BTreeMap::new() })
    }

    /// Starts what this target needs; again after its driver has ended, on what it kept.
    pub(super) async fn start(&mut self, target: &'static str) -> Result<(), String> {
        let command = self.command(target).await?;
        self.drivers.insert(target, Driver::start(target, command).await?);
        Ok(())
    }

    async fn command(&mut self, target: &str) -> Result<Command, String> {
        let provider = self.provider.url.clone();
        let drive = |guard: &[&str]| ourselves([["drive", "--provider", &provider].as_slice(), guard].concat());
        match target {
            RAW => drive(&["raw"]),
            SQLITE => drive(&["sqlite", &self.file("hapax.ledger")]),
            POSTGRES => {
                let url = self.database("hapax").await?;
                let mut command = drive(&["postgres", "hapax", "--prepared"])?;
                command.env(POSTGRES_URL, url);
                Ok(command)
            }
            AGENT_EFFECTS => {
                let mut command = Command::new(self.peers.agent_effects());
                command.arg(provider).arg(self.file("agent-effects.db"));
                Ok(command)
            }
            DBOS => {
                let url = self.database("dbos").await?;
                let mut command = Command::new("node");
                command.arg(self.peers.at.join("dbos.mjs")).arg(provider).env(POSTGRES_URL, url);
                Ok(command)
            }
            RESTATE => {
                let restate = Restate::start(&self.peers, &provider, &self.folder.path().join("restate")).await?;
                let command = drive(&["restate", &restate.ingress]);
                self.restate = Some(restate);
                command
            }
            other => Err(format!("there is no target {other}")),
        }
    }

    fn file(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// A database on the cluster, and its URL.
    async fn database(&mut self, name: &str) -> Result<String, String> {
        let broken = |error: std::io::Error| format!("PostgreSQL: {error}");
        if self.cluster.is_none() {
            self.cluster = Some(Cluster::start_with(SETTINGS).await.map_err(broken)?);
        }
        let cluster = self.cluster.as_ref().ok_or("PostgreSQL is gone")?;
        let there = format!("SELECT count(*) FROM pg_database WHERE datname = '{name}'");
        if cluster.sql("postgres", &there).await.map_err(broken)? == "0" {
            cluster.sql("postgres", &format!("CREATE DATABASE {name}")).await.map_err(broken)?;
        }
        Ok(format!("postgres://{USER}:{PASSWORD}@127.0.0.1:{}/{name}?sslmode=disable", cluster.port()))
    }

    pub(super) fn driver(&mut self, target: &str) -> Result<&mut Driver, String> {
        self.drivers.get_mut(target).ok_or_else(|| format!("{target} was not started"))
    }

    /// The processes of the guard. Of Restate the driver is none: it only calls.
    pub(super) fn guard(&self, target: &str) -> Processes {
        let driver = self.drivers.get(target).map(Driver::id).filter(|_| target != RESTATE);
        let server = [POSTGRES, DBOS].contains(&target).then(|| self.postmaster()).flatten();
        let restate = self.restate.as_ref().filter(|_| target == RESTATE).map(Restate::ids);
        Processes::of(driver.into_iter().chain(server).chain(restate.into_iter().flatten()))
    }

    /// All processes of the bench.
    pub(super) fn ours(&self) -> Processes {
        Processes::of([std::process::id()]).and(self.postmaster())
    }

    /// The server is none of our descendants: it detaches itself.
    fn postmaster(&self) -> Option<u32> {
        let lock = std::fs::read_to_string(self.cluster.as_ref()?.data().join("postmaster.pid")).ok()?;
        lock.lines().next()?.trim().parse().ok()
    }

    /// Bytes on the disk of a target whose driver has ended.
    pub(super) async fn bytes(&self, target: &str) -> Result<u64, String> {
        if target == SQLITE {
            let meta = std::fs::metadata(self.folder.path().join("hapax.ledger"));
            return meta.map(|meta| meta.len()).map_err(|error| error.to_string());
        }
        const SIZE: &str = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class \
            WHERE relkind = 'r' AND relnamespace = 'hapax'::regnamespace";
        let cluster = self.cluster.as_ref().ok_or("there is no PostgreSQL")?;
        let said = cluster.sql("hapax", SIZE).await.map_err(|error| error.to_string())?;
        said.parse().map_err(|error| format!("{said}: {error}"))
    }

    /// Lets a driver end, and what it has open be closed.
    pub(super) async fn end(&mut self, target: &str) -> Result<(), String> {
        match self.drivers.remove(target) {
            Some(driver) => driver.end().await,
            None => Ok(()),
        }
    }

    pub(super) async fn end_all(&mut self) -> Result<(), String> {
        while let Some((_, driver)) = self.drivers.pop_first() {
            driver.end().await?;
        }
        if let Some(Restate { server, service, .. }) = self.restate.take() {
            server.stop().await;
            service.stop().await;
        }
        Ok(())
    }
}

/// Restate's server with our service.
struct Restate {
    ingress: String,
    server: Talker,
    service: Talker,
}

#[derive(Deserialize)]
struct Listening {
    url: String,
}

impl Restate {
    async fn start(peers: &Peers, provider: &str, data: &Path) -> Result<Self, String> {
        let mut service = kept(&peers.restate_service());
        service.arg(provider);
        let mut service = Talker::start("the service of Restate", service)?;
        let Listening { url } = service.hear().await?;
        let program = peers.restate_server().ok_or("Restate's server is not installed")?;
        let (node, ingress, admin) = (free_port()?, free_port()?, free_port()?);
        let mut server = kept(&program);
        server.args(["--default-num-partitions", PARTITIONS, "--no-logo"]);
        server.arg("--config-file").arg(peers.from.join("restate.toml")).arg("--base-dir").arg(data);
        // It asks GitHub for its newest release at every start, whatever it is told; a failure to reach it costs nothing.
        server.env("DO_NOT_TRACK", "1").env("RESTATE_BIND_PORT", node.to_string());
        server.env("RESTATE_INGRESS__BIND_PORT", ingress.to_string());
        server.env("RESTATE_ADMIN__BIND_PORT", admin.to_string());
        let server = Talker::start("Restate", server)?;
        register(&format!("http://127.0.0.1:{admin}/deployments"), &url).await?;
        Ok(Self { ingress: format!("http://127.0.0.1:{ingress}"), server, service })
    }

    fn ids(&self) -> [u32; 2] {
        [self.server.id(), self.service.id()]
    }
}

/// Tells the server of the service, as soon as it listens.
async fn register(deployments: &str, service: &str) -> Result<(), String> {
    let (client, began) = (client::plain()?, Moment::now());
    let body = serde_json::json!({ "uri": service, "force": true }).to_string();
    loop {
        let request = client.post(deployments).header("Content-Type", "application/json").body(body.clone());
        #[allow(clippy::disallowed_methods, reason = "a peer's administration, not ours")]
        let why = match request.send().await {
            Ok(answer) if answer.status().is_success() => return Ok(()),
            Ok(answer) => format!("status {}", answer.status()),
            Err(error) => error.to_string(),
        };
        if began.elapsed() > PATIENCE {
            return Err(format!("Restate takes no service: {why}"));
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// A program that doesn't read its input, so that it can't notice that we are gone: a shell does that for it.
fn kept(program: &PathBuf) -> Command {
    const WATCH: &str = "exec 3<&0; \"$@\" </dev/null & child=$!; trap 'kill $child' TERM; cat <&3 >/dev/null; { kill $child; wait $child; } 2>/dev/null";
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", WATCH, "sh"]).arg(program);
    shell
}

/// Somebody else may take it before the server does; then it says so.
fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    listener.map(|address| address.port()).map_err(|error| error.to_string())
}
