use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use crate::moment::Moment;

/// Flushes that all disks were asked for since the machine started, others' included.
pub fn flushes() -> Option<u64> {
    let text = fs::read_to_string("/proc/diskstats").ok()?;
    let disks = fs::read_dir("/sys/block").ok()?.flatten().map(|disk| disk.file_name());
    let disks: Vec<_> = disks.collect();
    // Partitions have lines of their own and are in their disks' already.
    let whole = |name: &str| disks.iter().any(|disk| disk == name);
    let of = |line: &str| -> Option<u64> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        whole(fields.get(2)?).then(|| fields.get(18)?.parse().ok())?
    };
    Some(text.lines().filter_map(of).sum())
}

/// Says what one flush costs now, so that a slot on a disk that others keep busy is seen as one.
pub struct Probe {
    file: File,
}

const BLOCK: usize = 4096;
const BLOCKS: u64 = 256;

impl Probe {
    /// A probe on the disk of this folder.
    ///
    /// # Errors
    /// Of the file system.
    pub fn new(folder: &Path) -> std::io::Result<Self> {
        let path = folder.join("probe");
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        // Written, not only allocated: a growing file costs more than the flush itself.
        for block in 0..BLOCKS {
            file.write_all_at(&[0xa5; BLOCK], block * BLOCK as u64)?;
        }
        file.sync_all()?;
        Ok(Self { file })
    }

    /// The median of writing and flushing one block, over so long.
    ///
    /// # Errors
    /// Of the file system.
    pub fn flush(&self, during: Duration) -> std::io::Result<Duration> {
        let began = Moment::now();
        let mut took = Vec::new();
        while began.elapsed() < during || took.is_empty() {
            let one = Moment::now();
            self.file.write_all_at(&[0x5a; BLOCK], (took.len() as u64 % BLOCKS) * BLOCK as u64)?;
            self.file.sync_data()?;
            took.push(one.elapsed());
        }
        took.sort_unstable();
        Ok(took[took.len() / 2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flush_takes_its_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let probe = Probe::new(folder.path()).expect("a probe");
        assert!(probe.flush(Duration::ZERO).expect("it flushes") > Duration::ZERO);
    }
}
