//! Protected paths, which resources must not remove, replace or empty without permission, because
//! the machine needs them.
//!
//! These checks only see the declaration. The engine also follows links and checks mounts.

/// An action on the tree at a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TreeAction {
    /// The tree is removed or replaced.
    Remove,
    /// Undeclared entries are removed.
    Empty,
}

impl TreeAction {
    /// The action as a participle, for messages.
    pub fn done(self) -> &'static str {
        match self {
            Self::Remove => "removed or replaced",
            Self::Empty => "emptied",
        }
    }
}

/// Directories whose loss would prevent a machine from running or booting, or would destroy data of
/// users.
const ESSENTIAL_DIRECTORIES: [&str; 25] = [
    "/",
    "/bin",
    "/boot",
    "/boot/efi",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/sys",
    "/usr",
    "/usr/bin",
    "/usr/lib",
    "/usr/lib64",
    "/usr/libexec",
    "/usr/sbin",
    "/usr/share",
    "/var",
    "/var/lib",
];

/// Directories that must exist, but whose content may be removed.
const PERMANENT_DIRECTORIES: [&str; 6] =
    ["/tmp", "/usr/local", "/var/cache", "/var/log", "/var/spool", "/var/tmp"];

/// Whether an action at a path needs permission. The path has to be normalised by [`normal`].
pub fn is_protected(path: &str, act: TreeAction) -> bool {
    ESSENTIAL_DIRECTORIES.contains(&path)
        || act == TreeAction::Remove && PERMANENT_DIRECTORIES.contains(&path)
}

/// An absolute path normalised without following links, as Puppet's types do: without `.`, `..`,
/// empty components and trailing slashes.
pub fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// The declared action of a resource on a whole tree, and the path; `None` if there is none, or if
/// it depends on values that only a run has.
///
/// `value` returns the text of an attribute; for an omitted name attribute it returns the title.
pub fn declared_act(
    kind: &str,
    title: &str,
    value: impl Fn(&str) -> Option<String>,
) -> Option<(String, TreeAction)> {
    let path = value("path").unwrap_or_else(|| title.to_owned());
    if !path.starts_with('/') {
        return None;
    }
    let is = |name: &str, words: &[&str]| value(name).is_some_and(|v| words.contains(&v.as_str()));
    let is_on = |name: &str| is(name, &["true", "yes"]);
    let recurses = || !matches!(value("recurse").as_deref(), None | Some("false" | "0"));
    let act = match kind {
        "file" if is("ensure", &["absent", "false"]) => {
            is_on("force").then_some(TreeAction::Remove)
        }
        "file" if is("ensure", &["file"]) && is_on("force") => Some(TreeAction::Remove),
        "file" if is_on("purge") && recurses() && !is("recurse", &["remote"]) => {
            Some(TreeAction::Empty)
        }
        "tidy" if recurses() && value("matches").is_none() => Some(TreeAction::Empty),
        _ => None,
    };
    Some((normal(&path), act?))
}

/// The reason to refuse a declaration that would remove paths that the machine needs.
pub fn refusal(
    kind: &str,
    title: &str,
    value: impl Fn(&str) -> Option<String>,
) -> Option<(String, TreeAction)> {
    declared_act(kind, title, value).filter(|(path, act)| is_protected(path, *act))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalised_as_puppet_does() {
        // The expected values are the results of `Puppet::Type.type(:file).new(path: …)[:path]` of
        // Puppet 7.23, except for `//` and `///`, which Puppet does not change.
        for (path, want) in [
            ("/", "/"),
            ("//", "/"),
            ("///", "/"),
            ("//a/b", "/a/b"),
            ("///a", "/a"),
            ("/a/", "/a"),
            ("/a//b", "/a/b"),
            ("/a/./b", "/a/b"),
            ("/a/../b", "/b"),
            ("/srv/..", "/"),
            ("/..", "/"),
            ("/../..", "/"),
            ("//../x", "/x"),
            ("/.", "/"),
            ("/a/.", "/a"),
            ("/a/b/../..", "/"),
            ("/a/...", "/a/..."),
            ("/a/..b", "/a/..b"),
            ("/a b/", "/a b"),
            ("/~", "/~"),
            ("/a/~root", "/a/~root"),
            ("/a/b/./../c/", "/a/c"),
        ] {
            assert_eq!(normal(path), want, "{path}");
        }
    }

    #[test]
    fn declarations_are_held_against_the_list() {
        let refused = |kind: &str, title: &str, with: &[(&str, &str)]| {
            let value =
                |name: &str| with.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
            refusal(kind, title, value)
        };
        let absent = [("ensure", "absent"), ("force", "true")];
        let purge = [("ensure", "directory"), ("recurse", "true"), ("purge", "true")];
        assert_eq!(refused("file", "/srv/..", &absent), Some(("/".into(), TreeAction::Remove)));
        assert_eq!(refused("file", "/tmp/", &absent), Some(("/tmp".into(), TreeAction::Remove)));
        assert_eq!(refused("file", "/etc", &purge), Some(("/etc".into(), TreeAction::Empty)));
        assert_eq!(refused("file", "/tmp", &purge), None);
        assert_eq!(refused("file", "/srv", &absent), None);
        assert_eq!(refused("file", "/", &[("ensure", "absent")]), None);
        let file = [("path", "//usr/./lib"), ("ensure", "file"), ("force", "true")];
        assert_eq!(refused("file", "x", &file), Some(("/usr/lib".into(), TreeAction::Remove)));
        let tidy = [("recurse", "inf"), ("age", "1w")];
        assert_eq!(refused("tidy", "/", &tidy), Some(("/".into(), TreeAction::Empty)));
        assert_eq!(refused("tidy", "/var/log", &tidy), None);
        let matching = [("recurse", "true"), ("matches", "*.core")];
        assert_eq!(refused("tidy", "/", &matching), None);
    }
}
