use std::collections::BTreeMap;
use std::sync::Arc;

use super::ExecutorError;
use super::journal::Served;
use crate::capability::{Scope, guarantee};
use crate::cell::{Connection, SharedCell};
use crate::identity::NamespaceSecret;
use crate::ledger::Serves;
use crate::policy::Policy;

/// Every cell on every connection, with what follows from the two, the policy and the secret. All of these stay what they
/// are while the executor lives, so it is derived once.
pub(super) struct Services(BTreeMap<String, OnConnection>);

struct OnConnection {
    connection: Arc<Connection>,
    cells: BTreeMap<&'static str, Service>,
}

/// One cell on one connection.
pub(super) struct Service {
    pub(super) served: Served,
    /// What the guarantee lacks of what the policy requires.
    lacks: Option<String>,
}

impl Services {
    pub(super) fn new(
        connections: Vec<Connection>,
        policy: &Policy,
        secret: &NamespaceSecret,
    ) -> Result<Self, ExecutorError> {
        let mut services = BTreeMap::new();
        for connection in connections {
            let name = connection.name.clone();
            if services.insert(name.clone(), OnConnection::new(connection, policy, secret)).is_some() {
                return Err(ExecutorError::Twice(name));
            }
        }
        Ok(Self(services))
    }

    pub(super) fn connections(&self) -> impl Iterator<Item = &Arc<Connection>> {
        self.0.values().map(|on| &on.connection)
    }

    /// The cell of this id, if some connection has it.
    pub(super) fn cell(&self, id: &str) -> Option<&SharedCell> {
        self.0.values().find_map(|on| on.cells.get(id)).map(|service| &service.served.cell)
    }

    /// This cell on this connection, if there is one.
    pub(super) fn find(&self, connection: &str, cell: &str) -> Option<&Service> {
        self.0.get(connection)?.cells.get(cell)
    }

    /// The same, or what there is instead.
    pub(super) fn named(&self, connection: &str, cell: &str) -> Result<&Service, ExecutorError> {
        let Some(on) = self.0.get(connection) else {
            let known = list(self.0.keys().map(String::as_str));
            return Err(ExecutorError::UnknownConnection { name: connection.to_owned(), known });
        };
        on.cells.get(cell).ok_or_else(|| ExecutorError::UnknownCell {
            connection: connection.to_owned(),
            cell: cell.to_owned(),
            known: list(on.cells.keys().copied()),
        })
    }

    /// What work can be done here.
    pub(super) fn serves(&self) -> Vec<Serves> {
        let of = |(connection, on): (&String, &OnConnection)| {
            let cells = on.cells.keys().map(|cell| Serves { connection: connection.clone(), cell: (*cell).to_owned() });
            cells.collect::<Vec<_>>()
        };
        self.0.iter().flat_map(of).collect()
    }
}

impl OnConnection {
    fn new(connection: Connection, policy: &Policy, secret: &NamespaceSecret) -> Self {
        let connection = Arc::new(connection);
        let cells = connection.integration.cells().into_iter();
        let cells = cells.map(|cell| (cell.spec().id, Service::new(cell, &connection, policy, secret))).collect();
        Self { connection, cells }
    }
}

impl Service {
    fn new(cell: SharedCell, connection: &Arc<Connection>, policy: &Policy, secret: &NamespaceSecret) -> Self {
        let spec = cell.spec();
        let lacks = lacking(&cell, connection, policy);
        let (floor, likely) = (policy.require.second_effect, policy.likely_for(spec));
        let standing = spec.standing(&|need| connection.is_met(need), floor, likely);
        let per_credential = spec.natives().any(|native| native.scope.contains(&Scope::Credential));
        let scope = connection.scope(secret, per_credential).into();
        let served = Served { cell, connection: connection.clone(), standing: Arc::new(standing), scope };
        Self { served, lacks }
    }

    /// Refuses it if it offers less than the policy requires.
    pub(super) fn check_requirement(&self) -> Result<(), ExecutorError> {
        match &self.lacks {
            None => Ok(()),
            Some(why) => {
                Err(ExecutorError::Requirement { cell: self.served.cell.spec().id.to_owned(), why: why.clone() })
            }
        }
    }
}

fn lacking(cell: &SharedCell, connection: &Connection, policy: &Policy) -> Option<String> {
    let spec = cell.spec();
    let offered = guarantee(spec, &|need| connection.is_met(need), policy.likely_for(spec));
    let require = policy.require;
    let why = if offered.best() < require.second_effect {
        format!("no second effect: {:?}, required {:?}", offered.best(), require.second_effect)
    } else if !require.completion.allows(offered.completion) {
        format!("completion: {:?}, required {:?}", offered.completion, require.completion)
    } else {
        return None;
    };
    Some(why.to_lowercase())
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
