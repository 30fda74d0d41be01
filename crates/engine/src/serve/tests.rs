#![allow(clippy::unwrap_used)]

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use ordain_data::Value;
use ordain_graph::{Attribute, Containment, OriginId, ResourceRef};
use tempfile::TempDir;

use super::*;

/// An environment with a module `m`, and one `out` that is not below it.
struct Site {
    dir: TempDir,
}

impl Site {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let files = dir.path().join("env/modules/m/files");
        let write = |path: &str, text: &str| {
            let path = files.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("a", "a\n");
        write("b c", "b\n");
        write("d/x", "x\n");
        write("d/sub/y", "y\n");
        write("d/.hidden", "");
        symlink("x", files.join("d/link")).unwrap();
        symlink("nowhere", files.join("d/dangling")).unwrap();
        symlink("d", files.join("dir")).unwrap();
        let out = dir.path().join("out/files");
        std::fs::create_dir_all(&out).unwrap();
        std::fs::write(out.join("o"), "o").unwrap();
        Self { dir }
    }

    fn serve(&self, attributes: &[(&str, Value)]) -> Result<ServedFiles, String> {
        let mut graph = Graph::default();
        let attributes = attributes.iter().map(|(name, value)| Attribute {
            name: (*name).into(),
            value: value.clone(),
            origin: OriginId(0),
            losers: Vec::new(),
        });
        graph.add(Resource {
            id: ResourceRef { kind: "File".into(), title: "/t".into() },
            containment: Containment::Leaf,
            attributes: attributes.collect(),
            tags: Vec::new(),
            exported: false,
            is_virtual: false,
            origin: OriginId(0),
        });
        let env = self.dir.path().join("env");
        let modules: [(String, PathBuf); 2] = [
            ("m".into(), env.join("modules/../modules/m")),
            ("out".into(), self.dir.path().join("out")),
        ];
        let server = Server::new(&env, modules, "crc.md5.sha256").unwrap();
        let served = server.serve(&graph).map(|(served, _)| served);
        served.map_err(|errors| errors.iter().map(ToString::to_string).collect())
    }

    /// The file of one source.
    fn file(&self, attributes: &[(&str, Value)]) -> Result<Option<FileMetadata>, String> {
        let served = self.serve(attributes)?;
        Ok(served.single.into_values().next())
    }

    /// Paths and types below the sources.
    fn trees(&self, attributes: &[(&str, Value)]) -> Result<Vec<(String, String)>, String> {
        let served = self.serve(attributes)?;
        let line = |file: &FileMetadata| {
            let at = file.relative_path.clone().unwrap();
            format!("{at} {}", file.kind)
        };
        let tree = |(source, files): &ServedTree| {
            (source.to_string(), files.iter().map(line).collect::<Vec<_>>().join(", "))
        };
        Ok(served.recursive.values().flatten().map(tree).collect())
    }
}

fn text(text: &str) -> Value {
    Value::str(text)
}

fn list(items: &[&str]) -> Value {
    Value::list(items.iter().map(|item| Value::str(*item)))
}

#[test]
fn a_file_of_a_module() {
    let site = Site::new();
    let source = list(&["puppet:///modules/m/none", "puppet:///modules/m//a/"]);
    let file = site.file(&[("source", source)]).unwrap().unwrap();
    assert_eq!(file.kind, "file");
    assert_eq!(file.mode, Some(0o644));
    assert_eq!(file.digest(), Some(("md5", "60b725f10c9c85c70d97880dfe8191b3")));
    assert_eq!(file.content_uri.as_deref(), Some("puppet:///modules/m/files/a"));
    assert_eq!(file.source.as_deref(), Some("puppet:///modules/m//a"));
    assert_eq!(file.relative_path, None);
}

#[test]
fn links_are_looked_at_or_followed() {
    let site = Site::new();
    let source = ("source", text("puppet:///modules/m/d/link"));
    let link = site.file(std::slice::from_ref(&source)).unwrap().unwrap();
    assert_eq!((link.kind.as_str(), link.destination.as_deref()), ("link", Some("x")));
    assert!(link.checksum.value.is_some());
    let file = site.file(&[source, ("links", text("follow"))]).unwrap().unwrap();
    assert_eq!((file.kind.as_str(), file.links.as_str()), ("file", "follow"));
    let dir = site.file(&[("source", text("puppet:///modules/m/dir"))]).unwrap().unwrap();
    assert_eq!(dir.checksum.value, None);
}

#[test]
fn the_resource_chooses_checksum_and_permissions() {
    let site = Site::new();
    for (name, start) in [("sha1", "{sha1}3f786850"), ("none", "{none}"), ("mtime", "{mtime}20")] {
        let source = ("source", text("puppet:///modules/m/a"));
        let file = site.file(&[source, ("checksum", text(name))]).unwrap().unwrap();
        assert_eq!(file.checksum.kind, name);
        assert!(file.checksum.value.unwrap().starts_with(start));
    }
    let path = site.dir.path().join("env/modules/m/files/a");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o751);
    std::fs::set_permissions(path, mode).unwrap();
    let source = ("source", text("puppet:///modules/m/a"));
    let file = site.file(&[source, ("source_permissions", text("use"))]).unwrap().unwrap();
    assert_eq!(file.mode, Some(0o751));
}

#[test]
fn sources_of_other_servers_are_left_out() {
    let site = Site::new();
    for source in [
        "/etc/hostname",
        "puppet:///modules/out/o",
        "puppet:///modules/m",
        "puppet:///own/a",
        "puppet://elsewhere/modules/m/a",
        "https://example.org/a",
    ] {
        assert_eq!(site.file(&[("source", text(source))]), Ok(None), "{source}");
    }
    let both = list(&["puppet:///modules/m/a", "/etc/hostname"]);
    assert_eq!(site.file(&[("source", both)]), Ok(None));
    let source = ("source", text("puppet:///modules/m/none"));
    assert_eq!(site.file(&[source, ("ensure", text("absent"))]), Ok(None));
}

#[test]
fn unserveable_sources_are_errors() {
    let site = Site::new();
    for (source, message) in [
        ("puppet:///modules/m/none", "Could not get metadata for puppet:///modules/m/none"),
        ("puppet:///modules/x/a", "Could not get metadata for puppet:///modules/x/a"),
        ("puppet:///modules/m/../m/a", "Cannot find file: Invalid relative path 'm/../m/a'"),
        ("puppet:///modules", "No module specified"),
    ] {
        let got = site.file(&[("source", text(source))]);
        assert_eq!(got, Err(message.to_string()), "{source}");
    }
    let source = || ("source", text("puppet:///modules/m/a"));
    for (name, value) in [("checksum", "crc"), ("links", "all"), ("source_permissions", "yes")] {
        assert!(site.file(&[source(), (name, text(value))]).is_err());
    }
    assert!(Server::new(site.dir.path(), [], "crc").is_err());
}

#[test]
fn directories_are_walked() {
    let site = Site::new();
    let source = ("source", text("puppet:///modules/m/d/"));
    let recurse = ("recurse", Value::Bool(true));
    let one = |more: &[(&str, Value)]| {
        let mut all = vec![source.clone(), recurse.clone()];
        all.extend_from_slice(more);
        site.trees(&all).map(|trees| trees[0].1.clone())
    };
    let all =
        ". directory, .hidden file, dangling link, link link, sub directory, x file, sub/y file";
    assert_eq!(one(&[]).unwrap(), all);
    let ignored = ". directory, .hidden file";
    assert_eq!(one(&[("ignore", text("*"))]).unwrap(), ignored);
    assert_eq!(one(&[("recurselimit", Value::Int(0))]).unwrap(), ". directory");
    let followed = [("links", text("follow")), ("ignore", list(&["dangling", ".h*"]))];
    let want = ". directory, link file, sub directory, x file, sub/y file";
    assert_eq!(one(&followed).unwrap(), want);
    assert!(one(&[("links", text("follow"))]).is_err());
    assert!(one(&[("max_files", Value::Int(5))]).is_err());
    assert_eq!(one(&[("max_files", text("6"))]).unwrap(), all);
}

#[test]
fn several_directories() {
    let site = Site::new();
    let recurse = ("recurse", text("remote"));
    let source = |items: &[&str]| ("source", list(items));
    let (sub, dir) = ("puppet:///modules/m/d/sub", "puppet:///modules/m/dir");
    let trees = site.trees(&[source(&[sub, dir]), recurse.clone()]).unwrap();
    assert_eq!(trees, [(sub.to_string(), ". directory, y file".to_string())]);
    let all = [source(&[sub, "puppet:///modules/m/none", dir]), recurse.clone()];
    let trees = site.trees(&[&all[..], &[("sourceselect", text("all"))]].concat()).unwrap();
    assert_eq!(trees[1], (dir.to_string(), ". link".to_string()));
    let missing = [source(&["puppet:///modules/m/none"]), recurse.clone()];
    assert_eq!(site.trees(&missing), Ok(Vec::new()));
    let outside = [source(&[sub, "puppet:///modules/out"]), recurse];
    let outside = [&outside[..], &[("sourceselect", text("all"))]].concat();
    assert_eq!(site.trees(&outside), Ok(Vec::new()));
}
