//! What to say about a name whose module is not there.

use std::path::PathBuf;

use super::Environment;

/// The largest Puppetfile that is looked into.
const MAX_PUPPETFILE: usize = 1 << 20;
/// How many modules are named.
const MAX_NAMED: usize = 8;

impl Environment {
    /// Help for a name that was not found, with the known one that is nearest. That its module is
    /// only listed is said first, that it is nowhere at all last.
    pub(crate) fn missing_help(&self, name: &str, near: Option<&str>) -> Option<String> {
        let near = || near.map(|near| format!("did you mean `{near}`?"));
        self.listed_only(name).or_else(near).or_else(|| self.missing_module(name))
    }

    /// Help for a resource type or function, which modules have under other names than their own.
    pub(crate) fn missing_member_help(&self, name: &str, near: Option<&str>) -> Option<String> {
        if name.contains("::") {
            return self.missing_help(name, near);
        }
        let near = || near.map(|near| format!("did you mean `{near}`?"));
        self.listed_only(name).or_else(near).or_else(|| self.not_installed())
    }

    /// That the module of a qualified name is on no directory of the module path.
    fn missing_module(&self, name: &str) -> Option<String> {
        let module = module_of(name);
        if module.is_empty() || self.modules.contains_key(module) {
            return None;
        }
        if self.modulepath.is_empty() {
            return Some(format!(
                "there is no module `{module}`: `--modulepath` says where modules are"
            ));
        }
        let exists = |dir: &&PathBuf| self.world.kind(dir).is_some();
        let dirs: Vec<String> =
            self.modulepath.iter().filter(exists).map(|dir| dir.display().to_string()).collect();
        Some(match dirs.is_empty() {
            true => format!(
                "there is no module `{module}`, nor any directory of the module path; \
                 `--modulepath` gives another one"
            ),
            false => format!("there is no module `{module}` in {}", dirs.join(", ")),
        })
    }

    /// That a module is in the Puppetfile, but not installed.
    fn listed_only(&self, name: &str) -> Option<String> {
        let module = module_of(name);
        if self.modules.contains_key(module) || !self.listed().iter().any(|m| m == module) {
            return None;
        }
        Some(format!(
            "the Puppetfile lists module `{module}`, but it is not installed; \
             `r10k puppetfile install` does that"
        ))
    }

    /// Which modules of the Puppetfile are not installed.
    fn not_installed(&self) -> Option<String> {
        let mut missing = self.listed();
        missing.retain(|module| !self.modules.contains_key(module.as_str()));
        if missing.is_empty() {
            return None;
        }
        let more = missing.len().saturating_sub(MAX_NAMED);
        missing.truncate(MAX_NAMED);
        let mut names = missing.join(", ");
        if more > 0 {
            names.push_str(&format!(" and {more} more"));
        }
        Some(format!(
            "it may be of a module that the Puppetfile lists and that is not installed: {names}; \
             `r10k puppetfile install` does that"
        ))
    }

    /// The modules that the environment's Puppetfile lists.
    fn listed(&self) -> Vec<String> {
        let Some(dir) = &self.dir else { return Vec::new() };
        let Ok(bytes) = self.world.read(&dir.join("Puppetfile")) else { return Vec::new() };
        if bytes.len() > MAX_PUPPETFILE {
            return Vec::new();
        }
        String::from_utf8_lossy(&bytes).lines().filter_map(listed_module).collect()
    }
}

/// The first part of a qualified name.
fn module_of(name: &str) -> &str {
    name.trim_start_matches("::").split("::").next().unwrap_or_default()
}

/// The module of a line `mod 'author/name', ...`; the author may be missing, or end with `-`.
fn listed_module(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix("mod")?;
    let rest = rest.trim_start_matches([' ', '\t', '(']);
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let (full, _) = rest[1..].split_once(quote)?;
    full.rsplit(['/', '-']).next().map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::listed_module;

    #[test]
    fn modules_of_a_puppetfile() {
        let name = |line| listed_module(line).unwrap_or_default();
        assert_eq!(name("mod 'acme/web', '1.0.0'"), "web");
        assert_eq!(name("  mod \"acme-web_server\","), "web_server");
        assert_eq!(name("mod('web')"), "web");
        assert_eq!(name("# mod 'acme/web'"), "");
        assert_eq!(name("module 'acme/web'"), "");
        assert_eq!(name("mod 'open"), "");
    }
}
