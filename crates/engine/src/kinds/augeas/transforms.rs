//! The lenses that augtool loads by itself, each with the files that it reads.

use crate::kinds::augeas::tree::Node;
use crate::kinds::file::glob;

/// A lens with the patterns of its files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Transform {
    /// The name of its node.
    pub(super) name: String,
    patterns: Vec<String>,
}

/// The lenses in the printed nodes below a path.
pub(super) fn read(nodes: &[Node], below: &str) -> Vec<Transform> {
    let mut all: Vec<Transform> = Vec::new();
    for node in nodes {
        let Some(path) = node.path.strip_prefix(below).and_then(|path| path.strip_prefix('/'))
        else {
            continue;
        };
        let (name, part) = path.split_once('/').unwrap_or((path, ""));
        if all.last().is_none_or(|last| last.name != name) {
            all.push(Transform { name: name.to_string(), patterns: Vec::new() });
        }
        let pattern = node.value.clone().filter(|_| part == "incl" || part.starts_with("incl["));
        if let Some(last) = all.last_mut() {
            last.patterns.extend(pattern);
        }
    }
    all
}

impl Transform {
    /// Whether it may read the file that a path is, or that the path leads into.
    pub(super) fn reads(&self, path: &str) -> bool {
        let path: Vec<&str> = path.split('/').collect();
        self.patterns.iter().any(|pattern| {
            let pattern: Vec<&str> = pattern.split('/').collect();
            matches_beginning(&pattern, &path)
        })
    }
}

/// Whether a pattern matches the first parts of a path. Two stars match any number of parts.
fn matches_beginning(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern, path) {
        ([], _) => true,
        ([first, rest @ ..], _) if first.contains("**") => {
            (0..=path.len()).any(|skipped| matches_beginning(rest, &path[skipped..]))
        }
        ([first, rest @ ..], [name, path @ ..]) => {
            glob::matches_any(first, name) && matches_beginning(rest, path)
        }
        (_, []) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lenses_read_files_that_match() {
        let node = |path: &str, value: &str| Node {
            path: path.to_string(),
            value: (!value.is_empty()).then(|| value.to_string()),
        };
        let nodes = [
            node("/x", ""),
            node("/x/Hosts", ""),
            node("/x/Hosts/lens", "@Hosts"),
            node("/x/Hosts/incl", "/etc/hosts"),
            node("/x/Sshd", ""),
            node("/x/Sshd/incl[1]", "/etc/ssh/sshd_config"),
            node("/x/Sshd/incl[2]", "/etc/ssh/sshd_config.d/*.conf"),
            node("/x/Sshd/excl", "*.bak"),
            node("/x/Deep", ""),
            node("/x/Deep/incl", "/opt/**/x.conf"),
        ];
        let all = read(&nodes, "/x");
        assert_eq!(all.len(), 3);
        let readers = |path: &str| -> Vec<&str> {
            all.iter().filter(|one| one.reads(path)).map(|one| one.name.as_str()).collect()
        };
        assert_eq!(readers("/etc/hosts"), ["Hosts"]);
        assert_eq!(readers("/etc/hosts/1/alias"), ["Hosts"]);
        assert_eq!(readers("/etc/ssh/sshd_config.d/a.conf"), ["Sshd"]);
        assert_eq!(readers("/opt/x.conf"), ["Deep"]);
        assert_eq!(readers("/opt/a/b/x.conf/1"), ["Deep"]);
        assert!(readers("/opt/a").is_empty());
        assert!(readers("/etc/ssh").is_empty() && readers("/etc/hosts.bak").is_empty());
    }
}
