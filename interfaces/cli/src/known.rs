//! Integrations that commands know: the catalog's, and those that the user declares.

use std::fmt;
use std::path::{Path, PathBuf};

use hapax_core::cell::{SharedCell, SharedIntegration};
use hapax_http::Declared;

use crate::exit::Failure;
use crate::suggest::did_you_mean;

/// The catalog, and the declarations that `hapax.toml` names.
#[derive(Clone, Default)]
pub(crate) struct Known {
    declared: Vec<Declared>,
}

impl Known {
    /// With the declarations in these files.
    pub(crate) fn with(files: &[PathBuf]) -> Result<Self, Failure> {
        let mut known = Self::default();
        for file in files {
            let declared = read(file)?;
            let name = declared.integration().name();
            if let Some(other) = known.integration(name) {
                let whose = if known.is_own(other.name()) { "another declaration" } else { "the catalog" };
                let why = format!(
                    "nothing was sent: {} declares {name}, which {whose} has too; give it another name",
                    file.display()
                );
                return Err(Failure::input("bad-declaration", why));
            }
            known.declared.push(declared);
        }
        Ok(known)
    }

    /// All integrations: the catalog's first.
    pub(crate) fn integrations(&self) -> Vec<SharedIntegration> {
        let own = self.declared.iter().map(Declared::integration);
        hapax_catalog::integrations().into_iter().chain(own).collect()
    }

    /// The integration of this name.
    pub(crate) fn integration(&self, name: &str) -> Option<SharedIntegration> {
        self.integrations().into_iter().find(|integration| integration.name() == name)
    }

    /// All cells of all integrations.
    pub(crate) fn cells(&self) -> Vec<SharedCell> {
        self.integrations().into_iter().flat_map(|integration| integration.cells()).collect()
    }

    /// The cell of this id.
    pub(crate) fn cell(&self, id: &str) -> Option<SharedCell> {
        self.cells().into_iter().find(|cell| cell.spec().id == id)
    }

    /// Fails unless a rule that names this (`stripe.charge`, `stripe.*`, `*`) speaks of some cell. The failure says in the end
    /// what was meant.
    pub(crate) fn check_cell_named(&self, named: &str) -> Result<(), String> {
        let cells = self.cells();
        let mut ids = cells.iter().map(|cell| cell.spec().id);
        let is_of_one = match named.strip_suffix('*') {
            Some(prefix) => ids.any(|id| id.starts_with(prefix)),
            None => ids.any(|id| id == named),
        };
        if is_of_one {
            return Ok(());
        }
        let meant = did_you_mean(named, cells.iter().map(|cell| cell.spec().id));
        Err(format!("the cell `{named}`, which there is not{meant}"))
    }

    /// Whether the user declares it.
    pub(crate) fn is_own(&self, integration: &str) -> bool {
        self.declared.iter().any(|declared| declared.integration().name() == integration)
    }
}

/// Names alone: declarations may hold examples.
impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.declared.iter().map(|declared| declared.integration().name())).finish()
    }
}

/// Reads one declaration.
pub(crate) fn read(file: &Path) -> Result<Declared, Failure> {
    let shown = file.display();
    let text = std::fs::read_to_string(file).map_err(|error| {
        Failure::input("no-declaration", format!("nothing was sent: {shown} can't be read ({error})"))
    })?;
    Declared::read(&shown.to_string(), &text).map_err(|problem| Failure::input("bad-declaration", problem.to_string()))
}
