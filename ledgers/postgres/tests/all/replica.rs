//! A streaming replica of a cluster: on a free port of 127.0.0.1, its data in a temporary folder.
//!
//! A shell keeps watch: when the test process ends, however it ends, the pipe to it closes, and it stops the server and
//! removes the folder.

use std::io;
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use hapax_standin::third_party::port;
use hapax_standin::third_party::postgres::{Cluster, PASSWORD, USER};

use super::pooler::{as_owner, signal};

/// How long anything may take here before a test gives up. Nothing is judged by it.
const LONG: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(20);

/// The name by which the primary may wait for it.
pub(crate) const NAME: &str = "standby";

/// A replica at work. It is stopped and removed when this is dropped.
pub(crate) struct Replica {
    port: u16,
    folder: tempfile::TempDir,
    programs: PathBuf,
    owner: (u32, u32),
    _watch: Child,
}

impl Replica {
    /// Copies a cluster that runs, and follows it.
    pub(crate) async fn of(cluster: &Cluster) -> io::Result<Self> {
        let programs = cluster.sql("postgres", "SELECT setting FROM pg_config() WHERE name = 'BINDIR'").await?;
        let programs = PathBuf::from(programs);
        let data = std::fs::metadata(cluster.data())?;
        let owner = (data.uid(), data.gid());
        let folder = tempfile::Builder::new().prefix("hapax-replica-").tempdir()?;
        std::os::unix::fs::chown(folder.path(), Some(owner.0), Some(owner.1))?;
        let port = port::lasting()?;
        let from = format!("host=127.0.0.1 port={} user={USER} application_name={NAME}", cluster.port());
        let mut copy = as_owner(&programs.join("pg_basebackup"), owner);
        copy.args([
            "--no-sync",
            "--checkpoint=fast",
            "--wal-method=stream",
            "--write-recovery-conf",
            "--dbname",
            &from,
        ]);
        copy.arg("--pgdata").arg(folder.path().join("data")).env("PGPASSWORD", PASSWORD);
        succeeded("pg_basebackup", &mut copy)?;
        let watch = keep_watch(&programs, folder.path(), owner)?;
        let replica = Self { port, folder, programs, owner, _watch: watch };
        // Of two lines for one setting the last one counts.
        let conf = replica.data().join("postgresql.conf");
        let text = std::fs::read_to_string(&conf)?;
        std::fs::write(&conf, format!("{text}\nport = {port}\n"))?;
        replica.control(&["start", "-w"])?;
        Ok(replica)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Makes it a primary, on a timeline of its own.
    pub(crate) fn promote(&self) -> io::Result<()> {
        self.control(&["promote", "-w"])
    }

    /// Waits until it has replayed everything that the primary has written up to now.
    pub(crate) async fn catches_up(&self, cluster: &Cluster) -> io::Result<()> {
        let end = cluster.sql("postgres", "SELECT pg_current_wal_lsn()").await?;
        self.until(&format!("SELECT coalesce(pg_last_wal_replay_lsn() >= '{end}', false)")).await
    }

    /// Cuts it off: it gets nothing more. Gives back where it got it from.
    pub(crate) async fn cut(&self) -> io::Result<String> {
        let from = self.sql("SHOW primary_conninfo")?;
        self.follows("")?;
        self.until("SELECT count(*) = 0 FROM pg_stat_wal_receiver").await?;
        Ok(from)
    }

    /// Gets it from there again.
    pub(crate) fn follows(&self, from: &str) -> io::Result<()> {
        self.sql(&format!("ALTER SYSTEM SET primary_conninfo = '{}'", from.replace('\'', "''")))?;
        self.sql("SELECT pg_reload_conf()").map(|_| ())
    }

    /// Runs SQL as its owner and gives back what it says: columns with `|` between, a row a line.
    pub(crate) fn sql(&self, sql: &str) -> io::Result<String> {
        let mut asking = Command::new(self.programs.join("psql"));
        asking.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-U", USER, "-d", "postgres"]);
        asking.arg("-p").arg(self.port.to_string()).arg("-c").arg(sql).env("PGPASSWORD", PASSWORD);
        let said = asking.stdin(Stdio::null()).output()?;
        match said.status.success() {
            true => Ok(String::from_utf8_lossy(&said.stdout).trim().to_owned()),
            false => Err(io::Error::other(String::from_utf8_lossy(&said.stderr).into_owned())),
        }
    }

    async fn until(&self, sql: &str) -> io::Result<()> {
        for _ in 0..LONG.as_millis() / PAUSE.as_millis() {
            if self.sql(sql)? == "t" {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
        Err(io::Error::new(io::ErrorKind::TimedOut, sql.to_owned()))
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn control(&self, what: &[&str]) -> io::Result<()> {
        let mut command = as_owner(&self.programs.join("pg_ctl"), self.owner);
        command.arg("--pgdata").arg(self.data()).args(what).arg("-l").arg(self.folder.path().join("log"));
        succeeded("pg_ctl", &mut command)
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        // Before its folder goes.
        let _ = self.control(&["stop", "-w", "-m", "immediate"]);
    }
}

/// Kills the server of a cluster at once, as the loss of its host does, and waits until nobody is there.
pub(crate) fn kill_server(cluster: &Cluster) -> io::Result<()> {
    let file = cluster.data().join("postmaster.pid");
    let text = std::fs::read_to_string(&file)?;
    let process = text.lines().next().and_then(|line| line.parse().ok());
    let process: u32 = process.ok_or_else(|| io::Error::other("no number of a process"))?;
    // Its children would end by themselves, but hold its memory until they do.
    let children = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    signal("KILL", process)?;
    for child in children.split_whitespace().filter_map(|child| child.parse().ok()) {
        // It may be gone already.
        let _ = signal("KILL", child);
    }
    for _ in 0..LONG.as_millis() / PAUSE.as_millis() {
        if TcpStream::connect((Ipv4Addr::LOCALHOST, cluster.port())).is_err() {
            // On a host that is lost nothing runs any more; here its number may be kept for a while.
            return std::fs::remove_file(file);
        }
        std::thread::sleep(PAUSE);
    }
    Err(io::ErrorKind::TimedOut.into())
}

fn succeeded(what: &str, command: &mut Command) -> io::Result<()> {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("{what} ended with {status}"))) }
}

/// Waits for the end of this process, then cleans up.
fn keep_watch(programs: &Path, folder: &Path, owner: (u32, u32)) -> io::Result<Child> {
    const THEN: &str = "cat >/dev/null; \"$1\" --pgdata \"$2/data\" stop -m immediate >/dev/null 2>&1; rm -rf \"$2\"";
    let mut shell = as_owner(Path::new("/bin/sh"), owner);
    shell.args(["-c", THEN, "sh"]).arg(programs.join("pg_ctl")).arg(folder);
    shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn()
}
