//! Does what a guide says, command by command.

use std::path::Path;
use std::process::Command;

use rusqlite::Connection;

use crate::support::Ended;

/// The commands below a heading of a guide, by block.
pub(crate) fn blocks(guide: &'static str, heading: &str) -> Vec<Vec<&'static str>> {
    let section = guide.split_once(&format!("\n## {heading}\n")).expect("the heading").1;
    let section = section.split("\n## ").next().unwrap_or_default();
    let blocks = section.split("\n```sh\n").skip(1);
    blocks.map(|block| block.split_once("\n```").expect("its end").0.lines().collect()).collect()
}

/// Runs one block there. `hapax` is the program under test.
pub(crate) fn follow(block: &[&str], folder: &Path, prepare: impl Fn(&mut Command)) {
    let program = Path::new(env!("CARGO_BIN_EXE_hapax")).parent().expect("its folder").to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(program).chain(std::env::split_paths(&path))).expect("a path");
    for line in block {
        if let Some((file, sql)) = of_sqlite(line) {
            // By the SQLite that is built in: its command line isn't installed everywhere.
            let sql = sql.replace("INTO '", &format!("INTO '{}/", folder.display()));
            let done = Connection::open(folder.join(file)).and_then(|sqlite| sqlite.execute_batch(&sql));
            done.unwrap_or_else(|error| panic!("{line}: {error}"));
            continue;
        }
        let mut command = Command::new("sh");
        for variable in ["HAPAX_CONFIG", "HAPAX_NAMESPACE_SECRET", "HAPAX_LOG"] {
            command.env_remove(variable);
        }
        command.args(["-euc", line]).current_dir(folder).env("PATH", &path);
        prepare(&mut command);
        let ended = Ended::of(&mut command);
        assert_eq!(ended.exit, 0, "{line}: {}{}", ended.out, ended.err);
    }
}

/// `sqlite3 FILE "SQL"`
fn of_sqlite(line: &str) -> Option<(&str, &str)> {
    let (file, sql) = line.strip_prefix("sqlite3 ")?.split_once(' ')?;
    Some((file, sql.strip_prefix('"')?.strip_suffix('"')?))
}
