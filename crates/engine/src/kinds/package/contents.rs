//! The files of installed packages, as the databases of package managers have them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::managers::RPM_DATABASES;
use super::model::locate;
use crate::kind::tools::inside;
use crate::system::file_cache::read_text;
use crate::system::host::Host;

/// The files of each package, by its name.
type Files = BTreeMap<String, Vec<String>>;

/// The files of installed packages, by package. For dpkg they include directories. Unreadable
/// packages are omitted.
pub fn contents(host: &Host, names: &[&str]) -> Files {
    let mut files = Files::new();
    if !names.is_empty() {
        dpkg(host, names, &mut files);
        pacman(host, names, &mut files);
        apk(host, names, &mut files);
        rpm(host, names, &mut files);
    }
    files
}

/// One list per package, with the architecture in its name where several may be installed: dpkg(1),
/// `--listfiles`.
fn dpkg(host: &Host, names: &[&str], files: &mut Files) {
    let dir = host.path(Path::new("/var/lib/dpkg/info"));
    let Ok(entries) = fs::read_dir(&dir) else { return };
    let lists = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    for list in lists {
        let Some(name) = list.strip_suffix(".list") else { continue };
        let name = name.split(':').next().unwrap_or(name);
        if let (true, Ok(Some(text))) = (names.contains(&name), read_text(&dir.join(&list))) {
            add(files, name, text.lines());
        }
    }
}

/// One directory per package, `NAME-VERSION-RELEASE`, with a file of sections: alpm's local
/// database.
fn pacman(host: &Host, names: &[&str], files: &mut Files) {
    let dir = host.path(Path::new("/var/lib/pacman/local"));
    let Ok(entries) = fs::read_dir(&dir) else { return };
    for entry in entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()) {
        let mut parts = entry.rsplitn(3, '-');
        let Some(name) = parts.nth(2).filter(|name| names.contains(name)) else { continue };
        let Ok(Some(text)) = read_text(&dir.join(&entry).join("files")) else { continue };
        let section = text.lines().skip_while(|line| *line != "%FILES%").skip(1);
        let section = section.take_while(|line| !line.is_empty());
        add(files, name, section.filter(|path| !path.ends_with('/')));
    }
}

/// One file for all: lines that name a package, its directories, and their files.
fn apk(host: &Host, names: &[&str], files: &mut Files) {
    let database = ["/lib/apk/db/installed", "/usr/lib/apk/db/installed"];
    let texts = database.iter().filter_map(|path| read_text(&host.path(Path::new(path))).ok()?);
    for text in texts {
        let (mut package, mut dir) = ("", "");
        for line in text.lines() {
            match line.split_once(':') {
                Some(("P", name)) => package = name,
                Some(("F", name)) => dir = name,
                Some(("R", name)) if names.contains(&package) => {
                    add(files, package, [format!("{dir}/{name}").as_str()].into_iter());
                }
                _ => {}
            }
        }
    }
}

/// Its database can only be read by itself.
fn rpm(host: &Host, names: &[&str], files: &mut Files) {
    if !RPM_DATABASES.iter().any(|path| host.path(Path::new(path)).exists()) {
        return;
    }
    let Some(tool) = locate(host, &["rpm"]) else { return };
    const QUERY: [&str; 5] =
        ["-q", "--nosignature", "--nodigest", "--qf", "[%{NAME}\\t%{FILENAMES}\\n]"];
    let words = [tool.as_str()].into_iter().chain(QUERY).chain(["--"]);
    let Ok(output) = host.run(&inside(host, words.chain(names.iter().copied()))) else { return };
    let text = output.stdout_text();
    for (name, path) in text.lines().filter_map(|line| line.split_once('\t')) {
        add(files, name, std::iter::once(path));
    }
}

fn add<'a>(files: &mut Files, package: &str, paths: impl Iterator<Item = &'a str>) {
    let paths = paths.filter(|path| !path.is_empty() && *path != "/.");
    let rooted = paths.map(|path| format!("/{}", path.trim_start_matches('/')));
    files.entry(package.to_owned()).or_default().extend(rooted);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::system::runner::{Invocation, Outcome, Runner};

    struct Nothing;

    impl Runner for Nothing {
        fn run(&self, _: &Invocation) -> std::io::Result<Outcome> {
            Err(std::io::ErrorKind::NotFound.into())
        }
    }

    #[test]
    fn databases_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("var/lib/dpkg/info/nginx.list", "/.\n/etc\n/etc/nginx\n/etc/nginx/nginx.conf\n");
        write("var/lib/dpkg/info/libc6:amd64.list", "/lib/libc.so.6\n");
        write("var/lib/dpkg/info/other.list", "/other\n");
        let files = "%FILES%\netc/\netc/app.conf\n\n%BACKUP%\netc/app.conf\tabc\n";
        write("var/lib/pacman/local/my-app-1.2-3/files", files);
        let files = "P:busybox\nV:1\nF:bin\nR:busybox\nZ:x\nF:\nR:x\n\nP:z\nF:etc\nR:z\n";
        write("lib/apk/db/installed", files);
        let host = Host::new(dir.path().to_path_buf(), Box::new(Nothing));
        let found = contents(&host, &["nginx", "libc6", "my-app", "busybox", "gone"]);
        let found: Vec<(&str, String)> =
            found.iter().map(|(name, paths)| (name.as_str(), paths.join(" "))).collect();
        assert_eq!(
            found,
            [
                ("busybox", "/bin/busybox /x".into()),
                ("libc6", "/lib/libc.so.6".into()),
                ("my-app", "/etc/app.conf".into()),
                ("nginx", "/etc /etc/nginx /etc/nginx/nginx.conf".into()),
            ]
        );
    }
}
