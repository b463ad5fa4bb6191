//! Memory available to the process.

use std::fs;
use std::path::{Path, PathBuf};

/// Bounds of a search tree's default size, in bytes.
const TREE_BYTES: [u64; 2] = [64 << 20, 2 << 30];

/// Default limit of a search tree in bytes: a quarter of the available memory, within bounds.
/// `available` is `None` if the system does not say.
pub fn default_tree_bytes(available: Option<u64>) -> u64 {
    let [least, most] = TREE_BYTES;
    available.map_or(most, |bytes| (bytes / 4).clamp(least, most))
}

/// Available memory in bytes, limited by the process's control groups. Known on Linux only.
pub fn available() -> Option<u64> {
    let of_machine = fs::read_to_string("/proc/meminfo").ok();
    let of_machine = of_machine.as_deref().and_then(available_in);
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let folders = group_folders(&groups, Path::new("/sys/fs/cgroup"));
    let of_groups = folders.iter().filter_map(|folder| left_in(folder));
    of_groups.chain(of_machine).min()
}

/// Reads a value of `/proc/meminfo`.
fn available_in(meminfo: &str) -> Option<u64> {
    let mut lines = meminfo.lines();
    let text_value = lines.find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = text_value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

/// Folders with the memory limits of the groups named in the text of `/proc/self/cgroup`, and of
/// their parents: `0::/path` in version 2, `4:memory:/path` in version 1. In a container the paths
/// may be those of the host, of which only the root is visible.
fn group_folders(groups: &str, root: &Path) -> Vec<PathBuf> {
    let folders = groups.lines().flat_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
            return Vec::new();
        };
        let base = match controllers {
            "" => root.to_path_buf(),
            _ if controllers.split(',').any(|name| name == "memory") => root.join("memory"),
            _ => return Vec::new(),
        };
        let inner = base.join(path.trim_start_matches('/'));
        let around = inner
            .ancestors()
            .take_while(|folder| folder.starts_with(&base));
        around.map(Path::to_path_buf).collect()
    });
    folders.collect()
}

/// What remains of a group's limit, if it has one. Cached files, which make room for other contents, count as free.
fn left_in(folder: &Path) -> Option<u64> {
    let text = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let number = |name: &str| -> Option<u64> { text(name)?.trim().parse().ok() };
    let left = |limit: &str, used: &str, cached: [&str; 2]| {
        // For no limit, version 2 says `max`, version 1 a very large number.
        let limit = number(limit)?;
        let cached = text("memory.stat").map_or(0, |stat| sum_in(&stat, cached));
        let used = number(used).unwrap_or(0).saturating_sub(cached);
        Some(limit.saturating_sub(used))
    };
    let cached = ["inactive_file", "active_file"];
    left("memory.max", "memory.current", cached).or_else(|| {
        // Without `total_`, version 1 leaves out the groups inside this one.
        let cached = ["total_inactive_file", "total_active_file"];
        left("memory.limit_in_bytes", "memory.usage_in_bytes", cached)
    })
}

/// Sum of values of `memory.stat`.
fn sum_in(stat: &str, names: [&str; 2]) -> u64 {
    let values = stat.lines().filter_map(|line| {
        let (name, value) = line.split_once(' ')?;
        names
            .contains(&name)
            .then(|| value.trim().parse::<u64>().ok())?
    });
    values.fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_a_quarter_within_bounds() {
        let of = |megabytes: u64| default_tree_bytes(Some(megabytes << 20)) >> 20;
        assert_eq!(
            [0, 100, 1024, 4000, 100_000].map(of),
            [64, 64, 256, 1000, 2048]
        );
        assert_eq!(default_tree_bytes(None), 2 << 30);
    }

    #[test]
    fn the_systems_texts_are_read() {
        let meminfo = "MemTotal:       24000000 kB\nMemAvailable:    1000 kB\n";
        assert_eq!(available_in(meminfo), Some(1000 << 10));
        assert_eq!(available_in("MemTotal: 1 kB\n"), None);
        let folders = group_folders("1:cpu:/x\n0::/a/b\n4:memory:/c\nodd\n", Path::new("/g"));
        let expected = ["/g/a/b", "/g/a", "/g/", "/g/memory/c", "/g/memory"];
        assert_eq!(folders, expected.map(PathBuf::from));
    }

    #[test]
    fn a_groups_limit_counts_less_what_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        assert_eq!(left_in(folder.path()), None);
        write("memory.max", "max\n");
        write("memory.current", "300\n");
        assert_eq!(left_in(folder.path()), None);
        write("memory.max", "1000\n");
        assert_eq!(left_in(folder.path()), Some(700));
    }

    #[test]
    fn cached_files_are_not_counted_as_used() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("memory.limit_in_bytes", "1000\n");
        write("memory.usage_in_bytes", "400\n");
        let stat = "active_file 1\ntotal_inactive_file 100\ntotal_active_file 200\n";
        write("memory.stat", stat);
        assert_eq!(left_in(folder.path()), Some(900));
        write("memory.max", "1000\n");
        write("memory.current", "300\n");
        write(
            "memory.stat",
            "file 170\ninactive_file 100\nactive_file 50\n",
        );
        assert_eq!(left_in(folder.path()), Some(850));
        write("memory.stat", "inactive_file 301\n");
        assert_eq!(left_in(folder.path()), Some(1000), "never above the limit");
    }
}
