//! Reads the configuration files of the original.

use std::path::{Path, PathBuf};

use ordain_source::World;

/// A setting: section, key, value.
pub type Setting = (String, String, String);

/// The settings of a project. Those of the machine, the user, the project and the given file
/// override each other in this order.
pub fn settings(world: &dyn World, project: &Path, given: Option<&Path>) -> Vec<Setting> {
    let home = world.env("HOME").filter(|home| !home.is_empty());
    let mut files = vec![PathBuf::from("/etc/inmanta/inmanta.cfg")];
    files.extend(home.map(|home| Path::new(&home).join(".inmanta.cfg")));
    files.extend([".inmanta", ".inmanta.cfg"].map(|name| project.join(name)));
    files.extend(given.map(Path::to_path_buf));
    let mut out: Vec<Setting> = Vec::new();
    for file in files {
        let Ok(bytes) = world.read(&file) else { continue };
        for (section, key, value) in read(&String::from_utf8_lossy(&bytes)) {
            set(&mut out, &section, &key, value);
        }
    }
    out
}

/// Sets a value; replaces an earlier one.
pub fn set(settings: &mut Vec<Setting>, section: &str, key: &str, value: String) {
    match settings.iter_mut().find(|(s, k, _)| s == section && k == key) {
        Some((.., old)) => *old = value,
        None => settings.push((section.to_owned(), key.to_owned(), value)),
    }
}

/// Parses settings: sections in brackets, `key = value` or `key: value`, comments after `#` and
/// `;`, continuation lines after blanks. `-` and `_` are equal in keys.
fn read(text: &str) -> Vec<Setting> {
    let mut out: Vec<Setting> = Vec::new();
    let mut section = String::new();
    for line in text.lines() {
        let bare = line.trim();
        if bare.is_empty() || bare.starts_with(['#', ';']) {
            continue;
        }
        if line.starts_with([' ', '\t']) {
            if let Some((.., value)) = out.last_mut() {
                value.push('\n');
                value.push_str(bare);
            }
        } else if let Some(name) = bare.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            name.clone_into(&mut section);
        } else if let Some((key, value)) = bare.split_once(['=', ':']) {
            let key = key.trim().to_lowercase().replace('_', "-");
            out.push((section.clone(), key, value.trim().to_owned()));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_sections() {
        let text =
            "; c\n[config]\nenvironment = x = y\nlist: a\n  b\n[compiler]\ndatatrace_enable=1\n";
        let text: Vec<String> = read(text).iter().map(|(s, k, v)| format!("{s}/{k}/{v}")).collect();
        assert_eq!(
            text,
            ["config/environment/x = y", "config/list/a\nb", "compiler/datatrace-enable/1"]
        );
    }

    #[test]
    fn later_values_win() {
        let mut settings = read("[a]\nb = 1\n");
        set(&mut settings, "a", "b", "2".into());
        assert_eq!(settings, [("a".into(), "b".into(), "2".into())]);
    }
}
