//! A PgBouncer of one's own: on a free port of 127.0.0.1, its files in a temporary folder, in front of a cluster.
//!
//! It refuses to run as root, so it runs as the user whom the cluster runs as. A shell keeps watch: when the test process
//! ends, however it ends, the pipe to it closes, and it ends this PgBouncer and removes the folder.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use hapax_standin::third_party::port;
use hapax_standin::third_party::postgres::{Cluster, PASSWORD, USER};

/// How long anything may take here before a test gives up. Nothing is judged by it.
const LONG: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(20);

/// The program: what `HAPAX_PGBOUNCER` names, one in `PATH`, or where Debian puts it.
pub(crate) fn program() -> Option<PathBuf> {
    let named = std::env::var_os("HAPAX_PGBOUNCER").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("pgbouncer"));
    named.into_iter().chain(found).chain([PathBuf::from("/usr/sbin/pgbouncer")]).find(|path| path.exists())
}

/// A PgBouncer at work. It is ended and its folder removed when this is dropped.
pub(crate) struct Pooler {
    port: u16,
    folder: tempfile::TempDir,
    owner: (u32, u32),
    settings: String,
    child: Option<Child>,
    _watch: Child,
}

impl Pooler {
    /// In front of a cluster, in this mode, with so many connections to it.
    pub(crate) fn start(cluster: &Cluster, mode: &str, size: u32) -> io::Result<Self> {
        Self::start_with(cluster, mode, size, 500)
    }

    /// The same, which takes so many clients.
    pub(crate) fn start_with(cluster: &Cluster, mode: &str, size: u32, clients: u32) -> io::Result<Self> {
        let data = std::fs::metadata(cluster.data())?;
        let folder = tempfile::Builder::new().prefix("hapax-pgbouncer-").tempdir()?;
        let port = port::lasting()?;
        let owner = (data.uid(), data.gid());
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700))?;
        std::os::unix::fs::chown(folder.path(), Some(owner.0), Some(owner.1))?;
        let at = folder.path().display();
        // Retries are soon, because the servers of tests come back soon.
        let settings = format!(
            "[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
             auth_type = scram-sha-256\nauth_file = {at}/users\nlogfile = {at}/log\npidfile = {at}/pid\n\
             pool_mode = {mode}\ndefault_pool_size = {size}\nmax_client_conn = {clients}\nserver_login_retry = 0.2\n"
        );
        std::fs::write(folder.path().join("users"), format!("\"{USER}\" \"{PASSWORD}\"\n"))?;
        let watch = keep_watch(folder.path(), owner)?;
        let mut pooler = Self { port, folder, owner, settings, child: None, _watch: watch };
        pooler.leads_to(cluster.port())?;
        pooler.go_on()?;
        Ok(pooler)
    }

    /// The port that it listens on, after a restart too.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Kills it.
    pub(crate) fn kill(&mut self) -> io::Result<()> {
        if let Some(mut child) = self.child.take() {
            child.kill()?;
            child.wait()?;
            std::fs::remove_file(self.folder.path().join("pid"))?;
        }
        Ok(())
    }

    /// Starts it, and waits until it listens.
    pub(crate) fn go_on(&mut self) -> io::Result<()> {
        let program = program().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        let mut command = as_owner(&program, self.owner);
        command.arg("-q").arg(self.folder.path().join("ini"));
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let child = self.child.insert(child);
        for _ in 0..LONG.as_millis() / PAUSE.as_millis() {
            // Its pid is written before it listens.
            if TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_ok() {
                return Ok(());
            }
            if let Some(status) = child.try_wait()? {
                let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
                return Err(io::Error::other(format!("pgbouncer ended with {status}: {log}")));
            }
            std::thread::sleep(PAUSE);
        }
        Err(io::ErrorKind::TimedOut.into())
    }

    /// Asks at so many of its connections at once, each held by a transaction, so that no two are the same.
    pub(crate) fn sql(&self, sql: &str, connections: u32) -> io::Result<Vec<String>> {
        let ask = |_| {
            let mut asking = Command::new("psql");
            asking.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-U", USER]);
            asking.args(["-d", "postgres", "-p", &self.port.to_string(), "-f", "-"]).env("PGPASSWORD", PASSWORD);
            asking.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
        };
        let mut asked = (0..connections).map(ask).collect::<io::Result<Vec<Child>>>()?;
        let mut answers = Vec::new();
        // Each keeps its transaction until all have answered.
        for child in &mut asked {
            writeln!(child.stdin.as_mut().expect("it is piped"), "BEGIN; {sql};")?;
            let mut line = String::new();
            BufReader::new(child.stdout.as_mut().expect("it is piped")).read_line(&mut line)?;
            answers.push(line.trim().to_owned());
        }
        for child in &mut asked {
            drop(child.stdin.take());
            child.wait()?;
        }
        Ok(answers)
    }

    /// Leads to another server, as somebody does who makes a fail-over. Connections to the one before are closed when
    /// nothing is under way on them.
    pub(crate) fn leads_to(&self, port: u16) -> io::Result<()> {
        let text = format!("[databases]\n* = host=127.0.0.1 port={port}\n{}", self.settings);
        std::fs::write(self.folder.path().join("ini"), text)?;
        match &self.child {
            Some(child) => signal("HUP", child.id()),
            None => Ok(()),
        }
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

/// Sends a signal to one process, by its name.
pub(crate) fn signal(name: &str, process: u32) -> io::Result<()> {
    let status =
        Command::new("kill").arg(format!("-{name}")).arg(process.to_string()).stderr(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("kill -{name} {process}: {status}"))) }
}

/// A program as the user whom a server runs as. Its own folder may be one that this user may not enter.
pub(crate) fn as_owner(program: &Path, (user, group): (u32, u32)) -> Command {
    let mut command = Command::new(program);
    let ours = std::fs::metadata("/proc/self").is_ok_and(|this| this.uid() == user);
    if !ours {
        command.uid(user).gid(group);
    }
    command.current_dir("/");
    command
}

/// Waits for the end of this process, then cleans up.
fn keep_watch(folder: &Path, owner: (u32, u32)) -> io::Result<Child> {
    const THEN: &str = "cat >/dev/null; [ -f \"$1/pid\" ] && kill -9 \"$(cat \"$1/pid\")\"; rm -rf \"$1\"";
    let mut shell = as_owner(Path::new("/bin/sh"), owner);
    shell.args(["-c", THEN, "sh"]).arg(folder);
    shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn()
}
