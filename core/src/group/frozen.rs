use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::Path;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Group, GroupError, Target};

/// The first line of a frozen list. Each line after it is one target.
#[derive(Serialize, Deserialize)]
struct Head {
    group: String,
    format: u32,
    targets: usize,
    /// SHA-256 of the lines that follow, so that a list that wasn't written to its end is noticed.
    sha256: String,
}

const FORMAT: u32 = 1;

impl Group {
    /// Freezes the list in a file before anything is sent, or finds that the file holds the very
    /// same one, in whatever order. Going on after a crash is the same call again.
    ///
    /// # Errors
    /// [`GroupError::Changed`] if the file holds another list; [`GroupError::File`] if it can't be
    /// written or read.
    pub fn freeze(self, file: &Path) -> Result<Self, GroupError> {
        let opened = OpenOptions::new().write(true).create_new(true).open(file);
        match opened {
            Ok(opened) => {
                self.write(opened).map_err(|error| bad(file, format!("can't be written ({error})")))?;
                Ok(self)
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let frozen = Self::read(file)?;
                self.is_same_as(&frozen)?;
                Ok(frozen)
            }
            Err(error) => Err(bad(file, format!("can't be written ({error})"))),
        }
    }

    /// Reads a frozen list.
    ///
    /// # Errors
    /// [`GroupError::File`] if it isn't whole.
    pub fn read(file: &Path) -> Result<Self, GroupError> {
        let opened = File::open(file).map_err(|error| bad(file, format!("can't be read ({error})")))?;
        let mut lines = BufReader::new(opened).lines();
        let unfit = || bad(file, "is no frozen list of a group".to_owned());
        let head = lines.next().and_then(Result::ok).ok_or_else(unfit)?;
        let head: Head = serde_json::from_str(&head).map_err(|_| unfit())?;
        if head.format != FORMAT {
            return Err(bad(file, format!("has format {}, and this program knows {FORMAT}", head.format)));
        }
        let (mut digest, mut targets) = (Sha256::new(), Vec::new());
        for line in lines {
            let line = line.map_err(|error| bad(file, format!("can't be read ({error})")))?;
            digest.update(&line);
            digest.update("\n");
            targets.push(serde_json::from_str::<Target>(&line).map_err(|_| partial(file))?);
        }
        if targets.len() != head.targets || HEXLOWER.encode(&digest.finalize()) != head.sha256 {
            return Err(partial(file));
        }
        Self::new(head.group, targets)
    }

    fn write(&self, mut file: File) -> std::io::Result<()> {
        let mut lines = Vec::new();
        for (_, target) in &self.members {
            serde_json::to_writer(&mut lines, target)?;
            lines.push(b'\n');
        }
        let sha256 = HEXLOWER.encode(&Sha256::digest(&lines));
        let head = Head { group: self.name.clone(), format: FORMAT, targets: self.len(), sha256 };
        serde_json::to_writer(&mut file, &head)?;
        file.write_all(b"\n")?;
        file.write_all(&lines)?;
        file.sync_all()
    }

    fn is_same_as(&self, frozen: &Self) -> Result<(), GroupError> {
        let theirs: HashMap<_, _> = frozen.members.iter().map(|(key, target)| (key, &target.args)).collect();
        let (mut added, mut changed) = (0, 0);
        for (key, target) in &self.members {
            match theirs.get(key) {
                None => added += 1,
                Some(known) if **known != target.args => changed += 1,
                Some(_) => {}
            }
        }
        let missing = frozen.len() + added - self.len();
        if added + changed + missing == 0 { Ok(()) } else { Err(GroupError::Changed { added, missing, changed }) }
    }
}

fn bad(file: &Path, why: String) -> GroupError {
    GroupError::File { file: file.display().to_string(), why }
}

/// Nothing is sent before a list is written to its end, so this one may go.
fn partial(file: &Path) -> GroupError {
    bad(file, "was not written to its end, so nothing was sent from it; remove the file and freeze again".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn group(texts: &[(&str, &str)]) -> Group {
        let targets = texts.iter().map(|(id, text)| Target::new(*id, json!({ "text": text }))).collect();
        Group::new("g", targets).expect("a group")
    }

    #[test]
    fn a_frozen_list_comes_back_and_another_one_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("list.jsonl");
        let first = group(&[("a", "1"), ("b", "2")]).freeze(&file).expect("frozen");
        assert_eq!(Group::read(&file).expect("read"), first);
        let sorted = group(&[("b", "2"), ("a", "1")]).freeze(&file).expect("the same list in another order");
        assert_eq!(sorted, first, "the order of the frozen one");
        let other = group(&[("a", "other"), ("c", "3"), ("d", "4")]).freeze(&file);
        assert!(matches!(other, Err(GroupError::Changed { added: 2, missing: 1, changed: 1 })), "{other:?}");
    }

    #[test]
    fn a_list_that_was_not_written_to_its_end_is_no_list() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("list.jsonl");
        group(&[("a", "1"), ("b", "2")]).freeze(&file).expect("frozen");
        let whole = std::fs::read_to_string(&file).expect("text");
        for length in [0, 10, whole.len() / 2, whole.len() - 12, whole.find('\n').expect("lines") + 1] {
            std::fs::write(&file, &whole[..length]).expect("written");
            assert!(matches!(Group::read(&file), Err(GroupError::File { .. })), "{length} bytes");
        }
    }
}
