//! One connection. Nothing of it is kept from one transaction to the next, so that a pooler in transaction mode may
//! stand in between: no session settings, no session locks, no listening, and statements without a name.

use std::collections::HashMap;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_postgres::config::SslMode;
use tokio_postgres::error::Severity;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{AsyncMessage, Client, Config, Connection, NoTls, Row, Statement};

use crate::address::Address;
use crate::error::{Failure, unusable};
use crate::tls;

/// A parameter and its type.
pub(crate) type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

pub(crate) struct Link {
    client: Client,
    schema: String,
    /// Whether the server has warned of something.
    warned: Arc<AtomicBool>,
    /// Prepared statements by their text; none: they are not to be used.
    prepared: Option<Mutex<HashMap<&'static str, Statement>>>,
}

impl Link {
    /// Tries the hosts in turn. One that says nothing must not use up the time of the others.
    pub(crate) async fn connect(address: &Address, prepared: bool) -> Result<Self, Failure> {
        let mut last = Failure::Late;
        for (host, patience) in address.hosts() {
            match timeout(patience, Self::to(&host, address, prepared)).await {
                Ok(Ok(link)) => return Ok(link),
                Ok(Err(failure)) => last = failure,
                Err(_) => last = Failure::Late,
            }
        }
        Err(last)
    }

    /// To one host.
    pub(crate) async fn to(host: &Config, address: &Address, prepared: bool) -> Result<Self, Failure> {
        let warned = Arc::<AtomicBool>::default();
        let client = if host.get_ssl_mode() == SslMode::Disable {
            let (client, connection) = host.connect(NoTls).await?;
            tokio::spawn(keep(connection, Arc::clone(&warned)));
            client
        } else {
            let connector = tls::connector(address.roots.as_deref()).map_err(|error| {
                Failure::Answer(unusable(
                    format!("no certificate can be checked ({error})"),
                    "install the system's certificate authorities, or name a file of them",
                ))
            })?;
            let (client, connection) = host.connect(connector).await?;
            tokio::spawn(keep(connection, Arc::clone(&warned)));
            client
        };
        let prepared = prepared.then(Mutex::default);
        Ok(Self { client, schema: address.schema.clone(), warned, prepared })
    }

    /// Forgets warnings: some servers greet everybody with one.
    pub(crate) fn forget_warnings(&self) {
        self.warned.store(false, Ordering::Relaxed);
    }

    /// Whether the server has warned of something since they were forgotten.
    pub(crate) fn was_warned(&self) -> bool {
        self.warned.load(Ordering::Relaxed)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Prepares statements ahead, so that those that are sent together need no round trip of their own.
    pub(crate) async fn prepare(&self, sql: &'static str, types: &[Type]) -> Result<(), Failure> {
        if let Some(prepared) = &self.prepared {
            let statement = self.client.prepare_typed(&self.of_schema(sql), types).await?;
            prepared.lock().unwrap_or_else(PoisonError::into_inner).insert(sql, statement);
        }
        Ok(())
    }

    /// Runs one statement: one round trip. It is handed over when this is first polled, so futures that are polled one
    /// after the other go out in that order.
    pub(crate) async fn query(&self, sql: &'static str, with: &[Parameter<'_>]) -> Result<Vec<Row>, Failure> {
        let known = self
            .prepared
            .as_ref()
            .and_then(|prepared| prepared.lock().unwrap_or_else(PoisonError::into_inner).get(sql).cloned());
        if let Some(statement) = known {
            let values: Vec<&(dyn ToSql + Sync)> = with.iter().map(|(value, _)| *value).collect();
            return Ok(self.client.query(&statement, &values).await?);
        }
        Ok(self.client.query_typed(&self.of_schema(sql), with).await?)
    }

    /// Runs a statement that returns one row.
    pub(crate) async fn one(&self, sql: &'static str, with: &[Parameter<'_>]) -> Result<Row, Failure> {
        let rows = self.query(sql, with).await?;
        rows.into_iter().next().ok_or_else(|| Failure::Damaged("a statement that returns a row returned none".into()))
    }

    /// Runs statements without parameters.
    pub(crate) async fn run(&self, sql: &str) -> Result<(), Failure> {
        Ok(self.client.batch_execute(&self.of_schema(sql)).await?)
    }

    /// Statements are written for the schema `hapax`. Its name is made of letters, digits and `_` only.
    fn of_schema(&self, sql: &str) -> String {
        sql.replace("hapax.", &format!("\"{}\".", self.schema))
    }
}

/// Keeps a connection going to its end, and notes warnings before the answer that follows them.
async fn keep<S, T>(mut connection: Connection<S, T>, warned: Arc<AtomicBool>)
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        if let AsyncMessage::Notice(notice) = message
            && notice.parsed_severity() == Some(Severity::Warning)
        {
            tracing::warn!(code = notice.code().code(), "the server warns");
            warned.store(true, Ordering::Relaxed);
        }
    }
}
