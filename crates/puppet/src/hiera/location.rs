//! Paths of a hierarchy: Ruby's way of joining, and patterns.

use std::path::Path;

use ordain_source::{EntryKind, World};

/// The path `relative` relative to `base`, which may itself be relative to the working directory.
/// Leading `.` and `..` are resolved; an absolute path stays.
pub(super) fn join(base: &str, relative: &str) -> String {
    if relative.starts_with('/') {
        return relative.to_owned();
    }
    let mut base = match base.trim_end_matches('/') {
        "" if !base.starts_with('/') => ".".to_owned(),
        base => base.to_owned(),
    };
    let mut rest = relative;
    loop {
        let (first, after) = rest.split_once('/').unwrap_or((rest, ""));
        match first {
            "." | "" => {}
            ".." => leave(&mut base),
            _ => {
                base.reserve(1 + rest.len());
                base.push('/');
                base.push_str(rest);
                return base;
            }
        }
        if after.is_empty() {
            return if base.is_empty() { "/".to_owned() } else { base };
        }
        rest = after;
    }
}

/// Changes a directory to the one above it. The root, which is empty here, has none.
fn leave(directory: &mut String) {
    match directory.rsplit_once('/') {
        None if directory.is_empty() => {}
        None if directory == "." => *directory = "..".to_owned(),
        None if directory != ".." => *directory = ".".to_owned(),
        Some((above, name)) if name != ".." => directory.truncate(above.len()),
        _ => directory.push_str("/.."),
    }
}

/// The files that match a pattern, each alternative in braces in turn, sorted by name.
pub(super) fn glob(world: &dyn World, pattern: &str) -> Vec<String> {
    let mut found = Vec::new();
    for pattern in braces(pattern) {
        let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
        let mut work = Walk { world, found: &mut found, steps: 0 };
        work.walk(if pattern.starts_with('/') { "" } else { "." }, &parts, 0);
    }
    for path in &mut found {
        if let Some(relative) = path.strip_prefix("./") {
            *path = relative.to_owned();
        }
    }
    found
}

/// The maximal number of alternatives of a pattern with braces.
const ALTERNATIVES: usize = 1000;
/// The maximal number of directories that a pattern visits.
const STEPS: usize = 100_000;
/// The maximal depth of `**`.
const DEPTH: usize = 64;

/// The patterns without braces that a pattern with braces expands to.
fn braces(pattern: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(pattern) = open.pop() {
        match first_braces(&pattern) {
            Some((start, end)) if done.len() + open.len() < ALTERNATIVES => {
                let choices = split_choices(&pattern[start + 1..end]);
                for choice in choices.iter().rev() {
                    open.push(format!("{}{choice}{}", &pattern[..start], &pattern[end + 1..]));
                }
            }
            _ => done.push(pattern),
        }
    }
    done
}

fn first_braces(pattern: &str) -> Option<(usize, usize)> {
    let start = pattern.find('{')?;
    let mut depth = 0;
    for (i, c) in pattern[start..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((start, start + i));
        }
    }
    None
}

fn split_choices(inner: &str) -> Vec<&str> {
    let (mut depth, mut from) = (0, 0);
    let mut choices = Vec::new();
    for (i, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                choices.push(&inner[from..i]);
                from = i + 1;
            }
            _ => {}
        }
    }
    choices.push(&inner[from..]);
    choices
}

struct Walk<'w> {
    world: &'w dyn World,
    found: &'w mut Vec<String>,
    steps: usize,
}

impl Walk<'_> {
    fn walk(&mut self, dir: &str, parts: &[&str], depth: usize) {
        self.steps += 1;
        if self.steps > STEPS || depth > DEPTH {
            return;
        }
        let Some((part, rest)) = parts.split_first() else { return };
        if *part == "**" && !rest.is_empty() {
            let before = self.found.len();
            self.walk(dir, rest, depth);
            for (name, kind) in self.entries(dir) {
                if kind == EntryKind::Directory && !name.starts_with('.') {
                    self.walk(&format!("{dir}/{name}"), parts, depth + 1);
                }
            }
            // Files and directories in turn, by name.
            self.found[before..].sort_by(|a, b| a.split('/').cmp(b.split('/')));
            return;
        }
        if !part.contains(['*', '?', '[', '\\']) {
            let path = format!("{dir}/{part}");
            if let Some(kind) = self.world.kind(Path::new(&path)) {
                self.step(path, kind, rest, depth);
            }
            return;
        }
        for (name, kind) in self.entries(dir) {
            if (!name.starts_with('.') || part.starts_with('.')) && matches(part, &name) {
                self.step(format!("{dir}/{name}"), kind, rest, depth);
            }
        }
    }

    fn step(&mut self, path: String, kind: EntryKind, rest: &[&str], depth: usize) {
        if !rest.is_empty() {
            self.walk(&path, rest, depth + 1);
        } else if kind != EntryKind::Directory {
            self.found.push(path);
        }
    }

    fn entries(&self, dir: &str) -> Vec<(String, EntryKind)> {
        let dir = if dir.is_empty() { "/" } else { dir };
        self.world.list(Path::new(dir)).unwrap_or_default()
    }
}

/// Whether a name matches a pattern of `*`, `?`, `[set]` and `\x`.
fn matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    let mut retry = None;
    while n < name.len() {
        if pattern.get(p) == Some(&'*') {
            p += 1;
            retry = Some((p, n));
        } else if let Some(next) = pattern.get(p).and_then(|_| one(&pattern, p, name[n])) {
            (p, n) = (next, n + 1);
        } else if let Some((after, from)) = retry {
            (p, n) = (after, from + 1);
            retry = Some((after, from + 1));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// The position after the element at `p` if it matches the character.
fn one(pattern: &[char], p: usize, c: char) -> Option<usize> {
    match pattern[p] {
        '?' => Some(p + 1),
        '[' => {
            let end = (p + 2..pattern.len()).find(|i| pattern[*i] == ']')?;
            let set = &pattern[p + 1..end];
            let (negated, set) = match set.split_first() {
                Some(('!' | '^', rest)) => (true, rest),
                _ => (false, set),
            };
            (in_set(set, c) != negated).then_some(end + 1)
        }
        '\\' if p + 1 < pattern.len() => (pattern[p + 1] == c).then_some(p + 2),
        other => (other == c).then_some(p + 1),
    }
}

fn in_set(set: &[char], c: char) -> bool {
    let mut i = 0;
    while i < set.len() {
        if i + 2 < set.len() && set[i + 1] == '-' {
            if (set[i]..=set[i + 2]).contains(&c) {
                return true;
            }
            i += 3;
        } else if set[i] == c {
            return true;
        } else {
            i += 1;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_dots_are_resolved() {
        assert_eq!(join("/a/b", "../c/../d"), "/a/c/../d");
        assert_eq!(join("/a/b", "./c"), "/a/b/c");
        assert_eq!(join("/a", "/x"), "/x");
        assert_eq!(join("/a", "../../.."), "/");
        assert_eq!(join("/", "a"), "/a");
    }

    #[test]
    fn a_relative_directory_stays_relative() {
        assert_eq!(join("hiera", "../data"), "./data");
        assert_eq!(join("./hiera", "../data"), "./data");
        assert_eq!(join("a/b", "../../../data"), "../data");
        assert_eq!(join(".", "../../data"), "../../data");
        assert_eq!(join("../a", "../../data"), "../../data");
        assert_eq!(join("", "data"), "./data");
        assert_eq!(join("a", ".."), ".");
    }

    #[test]
    fn patterns_find_files_in_order() {
        let files = ["/d/b.yaml", "/d/a.yaml", "/d/x/y/c.yaml", "/d/.hidden.yaml", "/d/n.json"];
        let world = ordain_source::MemoryWorld::with_files(files.map(|f| (f, "")));
        assert_eq!(glob(&world, "/d/*.yaml"), ["/d/a.yaml", "/d/b.yaml"]);
        assert_eq!(glob(&world, "/d/**/*.yaml"), ["/d/a.yaml", "/d/b.yaml", "/d/x/y/c.yaml"]);
        assert_eq!(glob(&world, "/d/{n.json,[ab].yaml}"), ["/d/n.json", "/d/a.yaml", "/d/b.yaml"]);
        assert_eq!(glob(&world, "/d/x"), Vec::<String>::new());
        // The directory of an environment may be given as a relative path.
        let world = ordain_source::MemoryWorld::with_files([("./site/data/a.yaml", "")]);
        assert_eq!(glob(&world, "site/data/*.yaml"), ["site/data/a.yaml"]);
    }
}
