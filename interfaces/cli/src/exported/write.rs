use std::io::{self, Write};

use hapax_core::ledger::{Header, Index, Stored};

use super::{End, Head, Line, Operation, Tally};

/// Writes an export, a line at a time.
pub(crate) struct Writer<W> {
    to: W,
    tally: Tally,
}

impl<W: Write> Writer<W> {
    pub(crate) fn begin(to: W, header: Header) -> io::Result<Self> {
        let mut writer = Self { to, tally: Tally::default() };
        writer.line(&Line::Ledger(Head::of(header)))?;
        Ok(writer)
    }

    pub(crate) fn operation(&mut self, stored: Stored, index: Index) -> io::Result<()> {
        self.tally.operation(stored.records.len());
        self.line(&Line::Operation(Box::new(Operation::of(stored, index))))
    }

    /// Without this, what was written is no export.
    pub(crate) fn end(mut self) -> io::Result<(W, End)> {
        let end = std::mem::take(&mut self.tally).end();
        self.line(&Line::End(end.clone()))?;
        self.to.flush()?;
        Ok((self.to, end))
    }

    fn line(&mut self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.tally.line(&text);
        self.to.write_all(&text)
    }
}
