//! Parts of modules and control repositories: classes, defines, types and functions.

use std::path::Path;

use clap::ValueEnum;
use ordain_source::Diagnostic;
use ordain_testing::module_name;

use super::skeleton::NewFile;
use crate::codes;
use crate::exit::Failure;

/// The kind of a part.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum PartKind {
    /// A class, with a test
    Class,
    /// A defined type
    Define,
    /// A type alias
    Type,
    /// A function in the Puppet language
    Function,
}

/// Directories of modules in a control repository, in the order in which they are tried.
const MODULE_DIRECTORIES: [&str; 3] = ["site-modules", "site", "modules"];

/// Refuses a segment of a name that Puppet refuses.
///
/// # Errors
/// With the reason.
pub(super) fn check_segment(name: &str) -> Result<(), Failure> {
    let is_first = name.starts_with(|c: char| c.is_ascii_lowercase());
    let is_rest = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if is_first && is_rest {
        return Ok(());
    }
    let text = format!("`{name}` is no name: it has to be lower case letters, digits and `_`");
    Err(Diagnostic::error(codes::ARGUMENTS, text).into())
}

/// The files of a part with a name such as `profile::web`.
///
/// # Errors
/// When the name is wrong, or the directory is neither a module nor a control repository.
pub(super) fn files(dir: &Path, kind: PartKind, name: &str) -> Result<Vec<NewFile>, Failure> {
    let mut segments: Vec<&str> = name.trim_start_matches("::").split("::").collect();
    segments.iter().try_for_each(|segment| check_segment(segment))?;
    let own = module_name(dir);
    let base = match &own {
        Some(module) => {
            if segments.len() == 1 && segments != [module.as_str()] {
                segments.insert(0, module);
            }
            if segments.first() != Some(&module.as_str()) {
                let text = format!("names in this module begin with {module}::");
                return Err(Diagnostic::error(codes::ARGUMENTS, text).into());
            }
            String::new()
        }
        None => module_directory(dir, segments.first().copied().unwrap_or_default())?,
    };
    if segments.len() == 1 && kind != PartKind::Class {
        let text = format!("only a class may have the name of its module, {name}");
        return Err(Diagnostic::error(codes::ARGUMENTS, text).into());
    }
    let full = segments.join("::");
    let below = match segments.get(1..) {
        Some([_, ..]) => segments.get(1..).unwrap_or_default().join("/"),
        _ => "init".to_owned(),
    };
    let (directory, text) = match kind {
        PartKind::Class => ("manifests", include_str!("skeletons/new/class.pp")),
        PartKind::Define => ("manifests", include_str!("skeletons/new/define.pp")),
        PartKind::Type => ("types", include_str!("skeletons/new/type.pp")),
        PartKind::Function => ("functions", include_str!("skeletons/new/function.pp")),
    };
    let mut files = vec![NewFile::new(format!("{base}{directory}/{below}.pp"), text)];
    if kind == PartKind::Class {
        let path = format!("tests/{}.test.yaml", segments.join("_"));
        files.push(NewFile::new(path, include_str!("skeletons/new/class.test.yaml")));
    }
    let capital: Vec<String> = segments.iter().map(|segment| capitalized(segment)).collect();
    for file in &mut files {
        file.text = file.text.replace("{full}", &full).replace("{Full}", &capital.join("::"));
    }
    Ok(files)
}

fn capitalized(segment: &str) -> String {
    let mut chars = segment.chars();
    chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect()
}

/// The directory of a module in a control repository, with a slash at the end.
fn module_directory(dir: &Path, module: &str) -> Result<String, Failure> {
    if !dir.join("environment.conf").is_file() {
        let text = format!(
            "{} has neither metadata.json nor environment.conf, so it is neither a module nor a \
             control repository",
            dir.display()
        );
        return Err(Diagnostic::error(codes::ARGUMENTS, text).into());
    }
    let known = MODULE_DIRECTORIES.iter().find(|base| dir.join(base).join(module).is_dir());
    let usual = || MODULE_DIRECTORIES.iter().find(|base| dir.join(base).is_dir());
    let base = known.or_else(usual).unwrap_or(&MODULE_DIRECTORIES[0]);
    Ok(format!("{base}/{module}/"))
}
