//! A PostgreSQL of one's own: a cluster in a temporary folder, on a free port of 127.0.0.1.
//!
//! The server refuses to run as root, so as root it runs as the user `postgres`, or `nobody` where
//! there is none. A shell keeps watch: when the test process ends, however it ends, the pipe to it
//! closes, and it stops the server and removes the folder.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;

use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};

use super::port;

/// The role that owns everything.
pub const USER: &str = "postgres";
/// Its password.
pub const PASSWORD: &str = "a-password-of-tests";

/// A cluster at work. It is stopped and removed when it is dropped.
#[derive(Debug)]
pub struct Cluster {
    port: u16,
    folder: PathBuf,
    _watch: Child,
}

/// Whether the programs are installed, so that a test can say that it was left out, and why.
pub fn available() -> bool {
    programs().is_some() && as_whom().is_ok() && psql().is_some()
}

impl Cluster {
    /// Makes a cluster and starts it.
    ///
    /// # Errors
    /// What could not be done; the programs' own words go to the standard error.
    pub async fn start() -> io::Result<Self> {
        Self::start_with("").await
    }

    /// The same with lines in its `postgresql.conf`.
    ///
    /// # Errors
    /// As [`Cluster::start`].
    pub async fn start_with(settings: &str) -> io::Result<Self> {
        let programs = programs().ok_or_else(|| missing("initdb and pg_ctl"))?;
        let (folder, port) = (fresh_folder()?, port::lasting()?);
        let (data, secret) = (folder.join("data"), folder.join("password"));
        std::fs::write(&secret, PASSWORD)?;
        give_away(&secret)?;
        let mut making = by_its_user(&programs.join("initdb"))?;
        making.args(["--no-sync", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--username", USER]);
        making.arg("--pwfile").arg(&secret).arg("--pgdata").arg(&data).stdout(Stdio::null());
        succeeded("initdb", making.status().await?)?;
        let conf = format!(
            "\nlisten_addresses = '127.0.0.1'\nport = {port}\nunix_socket_directories = ''\nmax_connections = 100\n{settings}\n"
        );
        let mut file = tokio::fs::OpenOptions::new().append(true).open(data.join("postgresql.conf")).await?;
        file.write_all(conf.as_bytes()).await?;
        file.flush().await?;
        let watch = keep_watch(&programs, &folder)?;
        let cluster = Self { port, folder, _watch: watch };
        cluster.control(&["start", "-w"]).await?;
        Ok(cluster)
    }

    /// The port that it listens on, after a restart too.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its folder of data.
    pub fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Puts a file into its folder of data that it alone may read.
    ///
    /// # Errors
    /// Of the file system.
    pub fn give(&self, name: &str, text: &str) -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        let path = self.data().join(name);
        std::fs::write(&path, text)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        give_away(&path)
    }

    /// The address of a database, without encryption.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://127.0.0.1:{}/{database}?sslmode=disable", self.port)
    }

    /// Stops it as a crash would, and starts it again.
    ///
    /// # Errors
    /// That it did not come back.
    pub async fn crash(&self) -> io::Result<()> {
        self.control(&["stop", "-w", "-m", "immediate"]).await?;
        self.control(&["start", "-w"]).await
    }

    /// Stops it as a crash would.
    ///
    /// # Errors
    /// That it did not stop.
    pub async fn stop(&self) -> io::Result<()> {
        self.control(&["stop", "-w", "-m", "immediate"]).await
    }

    /// Starts it again.
    ///
    /// # Errors
    /// That it did not come back.
    pub async fn go_on(&self) -> io::Result<()> {
        self.control(&["start", "-w"]).await
    }

    /// Runs SQL as its owner and gives back what it says: columns with `|` between, a row a line.
    ///
    /// # Errors
    /// What the server says.
    pub async fn sql(&self, database: &str, sql: &str) -> io::Result<String> {
        let mut asking = Command::new(psql().ok_or_else(|| missing("psql"))?);
        asking.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-U", USER, "-d", database]);
        asking.arg("-p").arg(self.port.to_string()).arg("-c").arg(sql);
        let said = asking.env("PGPASSWORD", PASSWORD).stdin(Stdio::null()).kill_on_drop(true).output().await?;
        match said.status.success() {
            true => Ok(String::from_utf8_lossy(&said.stdout).trim().to_owned()),
            false => Err(io::Error::other(String::from_utf8_lossy(&said.stderr).into_owned())),
        }
    }

    async fn control(&self, what: &[&str]) -> io::Result<()> {
        let programs = programs().ok_or_else(|| missing("pg_ctl"))?;
        let mut command = by_its_user(&programs.join("pg_ctl"))?;
        command.arg("--pgdata").arg(self.data()).args(what).arg("-l").arg(self.folder.join("log"));
        succeeded("pg_ctl", command.stdin(Stdio::null()).stdout(Stdio::null()).status().await?)
    }
}

/// Waits for the end of this process, then cleans up.
fn keep_watch(programs: &Path, folder: &Path) -> io::Result<Child> {
    const THEN: &str = "cat >/dev/null; \"$1\" --pgdata \"$2/data\" stop -m immediate >/dev/null 2>&1; rm -rf \"$2\"";
    let mut shell = by_its_user(Path::new("/bin/sh"))?;
    shell.args(["-c", THEN, "sh"]).arg(programs.join("pg_ctl")).arg(folder);
    shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn()
}

/// A program as the user whom the server runs as.
fn by_its_user(program: &Path) -> io::Result<Command> {
    let mut command = Command::new(program);
    if let Some((user, group)) = as_whom()? {
        command.uid(user).gid(group);
    }
    // Its own folder may be one that this user may not enter.
    command.current_dir("/");
    Ok(command)
}

/// User and group to run as; none: as we are.
fn as_whom() -> io::Result<Option<(u32, u32)>> {
    use std::os::unix::fs::MetadataExt;
    // Who we are, without unsafe code: whose the process's own folder is.
    if std::fs::metadata("/proc/self")?.uid() != 0 {
        return Ok(None);
    }
    let users = std::fs::read_to_string("/etc/passwd")?;
    let ids = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    ids("postgres").or_else(|| ids("nobody")).map(Some).ok_or_else(|| missing("a user to run the server as"))
}

fn fresh_folder() -> io::Result<PathBuf> {
    let port = port::lasting()?;
    let folder = std::env::temp_dir().join(format!("hapax-postgres-{}-{port}", std::process::id()));
    std::fs::create_dir(&folder)?;
    give_away(&folder)?;
    Ok(folder)
}

fn give_away(path: &Path) -> io::Result<()> {
    match as_whom()? {
        Some((user, group)) => std::os::unix::fs::chown(path, Some(user), Some(group)),
        None => Ok(()),
    }
}

/// The folder of `initdb` and `pg_ctl`: what `HAPAX_POSTGRES` names, one in `PATH`, or where Debian puts it.
fn programs() -> Option<PathBuf> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let has = |folder: &PathBuf| folder.join("initdb").exists() && folder.join("pg_ctl").exists();
    let find = || {
        let named = std::env::var_os("HAPAX_POSTGRES").map(PathBuf::from);
        let in_path = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
        let debian = std::fs::read_dir("/usr/lib/postgresql").ok().into_iter().flatten().flatten();
        let debian: Vec<PathBuf> = debian.map(|version| version.path().join("bin")).collect();
        let all: [Vec<PathBuf>; 3] = [named.into_iter().collect(), in_path, debian];
        all.into_iter().flatten().find(has)
    };
    FOUND.get_or_init(find).clone()
}

fn psql() -> Option<PathBuf> {
    let beside = programs().map(|folder| folder.join("psql"));
    let paths = std::env::var_os("PATH")?;
    beside.into_iter().chain(std::env::split_paths(&paths).map(|folder| folder.join("psql"))).find(|path| path.exists())
}

fn missing(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, format!("{what}: not found"))
}

fn succeeded(what: &str, status: std::process::ExitStatus) -> io::Result<()> {
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("{what} ended with {status}"))) }
}
