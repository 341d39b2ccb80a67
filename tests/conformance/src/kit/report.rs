use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::Arc;

use super::reach::Reach;
use super::violation::Violation;

/// How one run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every invariant held.
    Held,
    /// It was not played, and why.
    Skipped(String),
    /// What did not hold.
    Broken(Vec<Violation>),
}

/// One run.
#[derive(Clone, Debug)]
pub struct Row {
    /// `stripe.charge`.
    pub cell: &'static str,
    /// Of the catalogue.
    pub fault: &'static str,
    /// By which it can be played again.
    pub seed: u64,
    /// How it ended.
    pub ended: Ended,
    /// What it missed in earlier plays while the machine stood still, for which it was played again.
    pub set_aside: Vec<Violation>,
}

/// All runs of a kit.
#[derive(Clone, Debug)]
pub struct Report {
    /// The runs, by cell, fault and seed.
    pub rows: Vec<Row>,
    /// What was reached in them.
    pub reach: Arc<Reach>,
}

impl Report {
    /// Every violation, with its run.
    pub fn violations(&self) -> Vec<(&Row, &Violation)> {
        let of = |row| match &Row::ended(row) {
            Ended::Broken(violations) => violations.iter().map(|violation| (row, violation)).collect(),
            _ => Vec::new(),
        };
        self.rows.iter().flat_map(of).collect()
    }

    /// Runs of a cell that were played.
    pub fn played(&self, cell: &str) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.cell == cell && !matches!(row.ended, Ended::Skipped(_)))
    }

    /// Faults of a cell that were played.
    pub fn faults(&self, cell: &str) -> usize {
        self.played(cell).map(|row| row.fault).collect::<BTreeSet<_>>().len()
    }

    /// Seeds of the runs.
    pub fn seeds(&self) -> Vec<u64> {
        self.rows.iter().map(|row| row.seed).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Writes the table of cells and faults, what was reached, and the violations with the words that play them again.
    ///
    /// # Errors
    /// Of the writer.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let cells: Vec<&str> = self.rows.iter().map(|row| row.cell).collect::<BTreeSet<_>>().into_iter().collect();
        let mut faults: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !faults.contains(&row.fault) {
                faults.push(row.fault);
            }
        }
        writeln!(to, "\n{:<34}{}", "", cells.join("  "))?;
        for fault in &faults {
            write!(to, "{fault:<34}")?;
            for cell in &cells {
                write!(to, "{:<width$}", self.word(cell, fault), width = cell.len() + 2)?;
            }
            writeln!(to)?;
        }
        self.write_reasons(to)?;
        let (runs, seeds) = (cells.iter().map(|cell| self.played(cell).count()).sum::<usize>(), self.seeds());
        writeln!(
            to,
            "\n{} cells, {} faults, seeds {seeds:?}: {runs} runs, {} violations",
            cells.len(),
            faults.len(),
            self.violations().len()
        )?;
        writeln!(to, "{}", self.reach.table())?;
        self.write_set_aside(to)?;
        // Last, where they are seen although the table is long.
        for (row, violation) in self.violations() {
            writeln!(to, "\nBROKEN {} under {}: {violation}", row.cell, row.fault)?;
            writeln!(
                to,
                "  again: HAPAX_KIT_SEED={} HAPAX_KIT_CELL={} HAPAX_KIT_FAULT={}",
                row.seed, row.cell, row.fault
            )?;
        }
        Ok(())
    }

    /// Runs of a cell that were played again, because an end was missed while the machine stood still.
    pub fn played_again(&self, cell: &str) -> usize {
        self.rows.iter().filter(|row| row.cell == cell && !row.set_aside.is_empty()).count()
    }

    fn write_set_aside(&self, to: &mut impl Write) -> io::Result<()> {
        for row in &self.rows {
            for missed in &row.set_aside {
                let (cell, fault, seed) = (row.cell, row.fault, row.seed);
                writeln!(to, "the machine stood still, played again: {cell} under {fault}, seed {seed}: {missed}")?;
            }
        }
        Ok(())
    }

    fn word(&self, cell: &str, fault: &str) -> String {
        let rows: Vec<&Row> = self.rows.iter().filter(|row| row.cell == cell && row.fault == fault).collect();
        let broken = rows.iter().filter(|row| matches!(row.ended, Ended::Broken(_))).count();
        match rows.first().map(|row| &row.ended) {
            _ if broken > 0 => format!("BROKEN {broken}/{}", rows.len()),
            Some(Ended::Skipped(_)) => "-".to_owned(),
            Some(_) => format!("{}", rows.len()),
            None => String::new(),
        }
    }

    /// Why faults were not played.
    fn write_reasons(&self, to: &mut impl Write) -> io::Result<()> {
        let mut reasons: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
        for row in &self.rows {
            if let Ended::Skipped(why) = &row.ended {
                reasons.entry((row.cell, why)).or_default().insert(row.fault);
            }
        }
        for ((cell, why), faults) in reasons {
            let faults: Vec<&str> = faults.into_iter().collect();
            writeln!(to, "- {cell}: {why}: {}", faults.join(", "))?;
        }
        Ok(())
    }
}

impl Row {
    fn ended(row: &Self) -> &Ended {
        &row.ended
    }
}

/// Writes a table to the standard error, where a test's reader looks.
pub fn say(table: &[u8]) {
    // Nobody is left to be told if this fails.
    let _ = io::stderr().write_all(table);
}
