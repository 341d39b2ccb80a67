use std::fs;

use super::TICKS;

/// Processes that belong together: their first ones and everything that these started.
#[derive(Clone, Debug, Default)]
pub struct Processes {
    roots: Vec<u32>,
}

/// What they have used.
#[derive(Clone, Copy, Debug, Default)]
pub struct Used {
    /// Seconds of a core.
    pub cpu: f64,
    /// Bytes that they had written to the disk.
    pub written: u64,
    /// Bytes of memory, what is shared counted in parts (PSS).
    pub memory: u64,
}

impl Processes {
    /// Of these.
    pub fn of(roots: impl IntoIterator<Item = u32>) -> Self {
        Self { roots: roots.into_iter().collect() }
    }

    /// With these too.
    pub fn and(mut self, more: impl IntoIterator<Item = u32>) -> Self {
        self.roots.extend(more);
        self
    }

    /// What they have used until now.
    pub fn used(&self) -> Used {
        let mut used = Used::default();
        for root in &self.roots {
            for (depth, process) in tree(*root) {
                // What children that are gone had used is in their parent's account; of the first ones alone, so
                // that nothing is counted twice.
                used.cpu += cpu(process, depth == 0).unwrap_or_default();
                used.written += written(process).unwrap_or_default();
                used.memory += memory(process).unwrap_or_default();
            }
        }
        used
    }
}

/// The process and its descendants, with their depth.
fn tree(root: u32) -> Vec<(u32, u32)> {
    let mut found = vec![(0, root)];
    let mut at = 0;
    while let Some((depth, process)) = found.get(at).copied() {
        let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        let children = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
        for children in children {
            found.extend(children.split_whitespace().filter_map(|id| id.parse().ok()).map(|id| (depth + 1, id)));
        }
        at += 1;
    }
    found
}

fn cpu(process: u32, with_gone_children: bool) -> Option<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name may hold spaces; it ends with the last parenthesis.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |range: std::ops::Range<usize>| -> Option<f64> {
        Some(fields.get(range)?.iter().filter_map(|ticks| ticks.parse::<f64>().ok()).sum())
    };
    // utime, stime; then those of children that are gone.
    Some(ticks(11..if with_gone_children { 15 } else { 13 })? / TICKS)
}

fn written(process: u32) -> Option<u64> {
    field(&fs::read_to_string(format!("/proc/{process}/io")).ok()?, "write_bytes:")
}

fn memory(process: u32) -> Option<u64> {
    Some(field(&fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?, "Pss:")? * 1024)
}

fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moment::Moment;

    #[test]
    #[cfg(target_os = "linux")]
    fn what_a_process_and_its_children_use_is_counted() {
        let processes = Processes::of([std::process::id()]);
        let before = processes.used();
        assert!(before.memory > 1 << 20, "{before:?}");
        let shell = std::process::Command::new("/bin/sh")
            .args(["-c", "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done"])
            .status();
        assert!(shell.expect("there is a shell").success());
        let began = Moment::now();
        assert!(processes.used().cpu > before.cpu, "a child's work is its own, {:?}", began.elapsed());
    }

    #[test]
    fn accounts_of_the_kernel_are_read_by_their_names() {
        assert_eq!(field("Rss: 9 kB\nPss:   1234 kB\nPss_Anon: 7 kB\n", "Pss:"), Some(1234));
        assert_eq!(field("Rss: 9 kB\n", "Pss:"), None);
    }
}
