//! `selmodule`: modules of the policy.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ordain_data::Value;
use ordain_graph::{Resource, ResourceRef};
use ordain_kinds::{KindSchema, machine};

use super::name;
use crate::kind::differences::{Differences, changes};
use crate::kind::params::Params;
use crate::kind::tools::{POLL_INTERVAL, inside, run};
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::system::host::Host;
use crate::system::watch::Watch;

/// The kind `selmodule`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Selmodule;

/// The default directory of modules.
const MODULES: &str = "/usr/share/selinux/targeted";

/// The first bytes of a module file.
const MAGIC: u32 = 0xf97c_ff8f;

/// No text of a module is longer.
const MAX_TEXT: u32 = 4096;

/// No module has more sections.
const MAX_SECTIONS: u32 = 1024;

impl Kind for Selmodule {
    fn schema(&self) -> &KindSchema {
        &machine::SELMODULE
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["semodule"], &[]);
        let name = name(&mut p);
        let dir = p.text("selmoduledir").unwrap_or_else(|| MODULES.to_string());
        let path = p.text("selmodulepath").unwrap_or_else(|| format!("{dir}/{name}.pp"));
        let module = Module {
            name,
            path: path.into(),
            present: p.choice("ensure") != Some("absent"),
            syncs: p.boolean("syncversion"),
        };
        p.finish(Box::new(module) as Box<dyn Instance>)
    }
}

struct Module {
    name: String,
    path: PathBuf,
    present: bool,
    syncs: bool,
}

impl Module {
    /// The loaded version: `None`, or a version where the tool prints it.
    fn loaded(&self, host: &Host) -> Result<Option<String>, KindError> {
        let output = run(host, &inside(host, ["/usr/sbin/semodule", "--list"]))?.stdout_text();
        let line = |line: &str| {
            let mut words = line.split_whitespace();
            let is_it = words.next() == Some(self.name.as_str());
            is_it.then(|| words.next().unwrap_or_default().to_string())
        };
        Ok(output.lines().find_map(line))
    }

    fn call(&self, host: &Host, option: &str) -> Result<(), KindError> {
        let path = self.path.to_string_lossy();
        let what = if option == "--remove" { self.name.as_str() } else { &path };
        run(host, &inside(host, ["/usr/sbin/semodule", option, what])).map(drop)
    }
}

/// The version that a file of a module has.
fn version_of(path: &Path) -> io::Result<String> {
    let wrong = |text: String| io::Error::new(io::ErrorKind::InvalidData, text);
    let mut file = io::BufReader::new(File::open(path)?);
    let number = |file: &mut dyn Read| {
        let mut bytes = [0; 4];
        file.read_exact(&mut bytes)?;
        io::Result::Ok(u32::from_le_bytes(bytes))
    };
    let skip = |file: &mut dyn Read, count: u64| {
        let skipped = io::copy(&mut file.take(count), &mut io::sink())?;
        if skipped < count {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        }
        io::Result::Ok(())
    };
    let text = |file: &mut dyn Read| -> io::Result<String> {
        let length = number(file)?;
        if length > MAX_TEXT {
            return Err(wrong("a text in it is too long".to_string()));
        }
        let mut bytes = vec![0; length as usize];
        file.read_exact(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let magic = number(&mut file)?;
    if magic != MAGIC {
        return Err(wrong(format!("Found {magic} instead of magic {MAGIC}")));
    }
    let version = number(&mut file)?;
    if version != 1 {
        return Err(wrong(format!("Unknown policy file version {version}")));
    }
    let sections = number(&mut file)?;
    if sections > MAX_SECTIONS {
        return Err(wrong("it has too many sections".to_string()));
    }
    // Finds the sections, and the first bytes of the first one.
    skip(&mut file, (u64::from(sections) + 1) * 4)?;
    text(&mut file)?;
    text(&mut file)?;
    // The head of the first section.
    skip(&mut file, 14)?;
    text(&mut file)?;
    text(&mut file)
}

impl Instance for Module {
    fn autorequires(&self) -> Vec<ResourceRef> {
        let title = self.path.to_string_lossy().as_ref().into();
        vec![ResourceRef { kind: "File".into(), title }]
    }

    fn watches(&self, _: &Host) -> Vec<Watch> {
        vec![Watch::Path(self.path.clone())]
    }

    fn poll_interval(&self, _: &Host) -> Option<std::time::Duration> {
        Some(POLL_INTERVAL)
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let mut differences = Differences::new(&[]);
        match (self.loaded(host)?, self.present) {
            (None, true) => differences.create("absent", Value::str("present")),
            (Some(_), false) => differences.remove(Value::str("present"), "absent", "removed"),
            (Some(loaded), true) if self.syncs => {
                let own = version_of(&host.path(&self.path)).map_err(|e| {
                    KindError::new(format!("Could not read {}: {e}", self.path.display()))
                })?;
                if own != loaded {
                    differences.property("syncversion", Value::str(loaded), Value::str(own));
                }
            }
            _ => {}
        }
        Ok(differences.finish())
    }

    fn apply(&self, host: &Host, todo: &[Change]) -> Result<(), KindError> {
        if changes(todo, "syncversion") {
            return self.call(host, "--upgrade");
        }
        self.call(host, if self.present { "--install" } else { "--remove" })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_version_is_found() {
        let mut bytes = Vec::new();
        let number = |bytes: &mut Vec<u8>, n: u32| bytes.extend(n.to_le_bytes());
        for n in [MAGIC, 1, 2, 20, 99, 0] {
            number(&mut bytes, n);
        }
        // The first section begins at one of the offsets above.
        for text in [&b"head"[..], b"SE Linux Module"] {
            number(&mut bytes, text.len() as u32);
            bytes.extend(text);
        }
        bytes.extend([0; 14]);
        for text in [&b"web"[..], b"1.2"] {
            number(&mut bytes, text.len() as u32);
            bytes.extend(text);
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &bytes).unwrap();
        assert_eq!(version_of(file.path()).unwrap(), "1.2");
        for end in 0..bytes.len() {
            std::fs::write(file.path(), &bytes[..end]).unwrap();
            assert!(version_of(file.path()).is_err(), "{end}");
        }
    }
}
