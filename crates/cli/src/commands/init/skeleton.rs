//! The files of new projects.

use std::fs;
use std::path::{Path, PathBuf};

use crate::codes;
use crate::exit::Failure;

/// A file to write.
pub(super) struct NewFile {
    /// The path, relative to the directory of the project.
    pub(super) path: String,
    pub(super) text: String,
}

impl NewFile {
    pub(super) fn new(path: impl Into<String>, text: &str) -> Self {
        Self { path: path.into(), text: text.to_owned() }
    }
}

/// Files with their texts from the directory `skeletons`.
macro_rules! skeleton {
    ($($path:literal = $file:literal),* $(,)?) => {
        vec![$(NewFile::new($path, include_str!(concat!("skeletons/", $file)))),*]
    };
}

pub(super) fn control_repo() -> Vec<NewFile> {
    skeleton! {
        "environment.conf" = "control-repo/environment.conf",
        "hiera.yaml" = "control-repo/hiera.yaml",
        "data/common.yaml" = "control-repo/common.yaml",
        "data/nodes/README.md" = "control-repo/nodes.md",
        "data/os/README.md" = "control-repo/os.md",
        "manifests/site.pp" = "control-repo/site.pp",
        "site-modules/role/manifests/base.pp" = "control-repo/role.pp",
        "site-modules/profile/manifests/base.pp" = "control-repo/profile.pp",
        "tests/base.test.yaml" = "control-repo/base.test.yaml",
        "Puppetfile" = "control-repo/Puppetfile",
        ".gitignore" = "control-repo/gitignore",
    }
}

pub(super) fn module(name: &str, author: &str) -> Vec<NewFile> {
    let mut files = skeleton! {
        "metadata.json" = "module/metadata.json",
        "hiera.yaml" = "module/hiera.yaml",
        "data/common.yaml" = "module/common.yaml",
        "manifests/init.pp" = "module/init.pp",
    };
    files.push(NewFile::new(
        format!("tests/{name}.test.yaml"),
        include_str!("skeletons/module/test.yaml"),
    ));
    for file in &mut files {
        file.text = file.text.replace("{name}", name).replace("{author}", author);
    }
    files
}

pub(super) fn model() -> Vec<NewFile> {
    skeleton! { "main.cf" = "model/main.cf", "main.test.yaml" = "model/main.test.yaml" }
}

pub(super) fn program() -> Vec<NewFile> {
    skeleton! { "main.mcl" = "mcl/main.mcl", "main.test.yaml" = "mcl/main.test.yaml" }
}

pub(super) fn template() -> Vec<NewFile> {
    skeleton! {
        "template.yml" = "template/template.yml",
        "stub.yml" = "template/stub.yml",
        "template.test.yaml" = "template/template.test.yaml",
    }
}

/// Writes files below a directory. Returns their paths.
///
/// # Errors
/// When a directory or a file cannot be written.
pub(super) fn write_files(dir: &Path, files: &[NewFile]) -> Result<Vec<PathBuf>, Failure> {
    let mut written = Vec::new();
    for file in files {
        let path = dir.join(&file.path);
        let failed = |error: std::io::Error| {
            Failure::from(codes::io(&format!("cannot write {}", path.display()), &error))
        };
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(failed)?;
        }
        fs::write(&path, &file.text).map_err(failed)?;
        written.push(path);
    }
    Ok(written)
}
