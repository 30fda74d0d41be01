//! `mount`: an entry of `/etc/fstab`, and its mount.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ordain_data::Value;
use ordain_graph::protected::TreeAction;
use ordain_graph::{Resource, protected};
use ordain_kinds::{KindSchema, machine};

use crate::kind::differences::{Differences, changes};
use crate::kind::params::Params;
use crate::kind::tools::{POLL_INTERVAL, inside, run};
use crate::kind::{Change, Instance, Kind, KindError, ParseContext, ParseResult};
use crate::kinds::shared::records::{Record, RecordFiles, Table};
use crate::system::file_cache::read_text;
use crate::system::host::Host;
use crate::system::watch::Watch;

/// The table of file systems.
const TABLE: &str = "/etc/fstab";

/// The table of mounts of the kernel.
const MOUNTED: &str = "/proc/self/mounts";

/// The kind `mount`.
#[derive(Default)]
pub struct Mount {
    files: Arc<RecordFiles<Entry>>,
}

/// A line of the table.
#[derive(Clone, PartialEq, Eq, Default)]
struct Entry {
    device: String,
    place: String,
    fstype: Option<String>,
    options: Option<String>,
    dump: Option<String>,
    pass: Option<String>,
}

/// Bytes that separate fields, and their escapes inside one.
const ESCAPES: [(&str, &str); 4] =
    [("\\", "\\134"), (" ", "\\040"), ("\t", "\\011"), ("\n", "\\012")];

fn escape(field: &str) -> String {
    ESCAPES.iter().fold(field.to_string(), |text, (plain, code)| text.replace(plain, code))
}

fn unescape(field: &str) -> String {
    ESCAPES.iter().rev().fold(field.to_string(), |text, (plain, code)| text.replace(code, plain))
}

/// A path without slashes at its end.
fn without_end(path: &str) -> &str {
    let bare = path.trim_end_matches('/');
    if bare.is_empty() { path.get(..1).unwrap_or_default() } else { bare }
}

impl Record for Entry {
    fn parse(line: &str) -> Option<(String, Self)> {
        if line.trim_start().starts_with('#') {
            return None;
        }
        let mut words = line.split_whitespace();
        let device = unescape(words.next()?);
        let place = unescape(words.next()?);
        let mut next = || words.next().map(str::to_string);
        let (fstype, options, dump, pass) = (next(), next(), next(), next());
        let name = without_end(&place).to_string();
        Some((name, Self { device, place, fstype, options, dump, pass }))
    }

    fn print(&self) -> String {
        let device = escape(&self.device);
        [
            device.as_str(),
            &escape(&self.place),
            self.fstype.as_deref().unwrap_or("auto"),
            self.options.as_deref().unwrap_or("defaults"),
            self.dump.as_deref().unwrap_or("0"),
            self.pass.as_deref().unwrap_or("0"),
        ]
        .join("\t")
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ensure {
    Defined,
    Mounted,
    Unmounted,
    Absent,
}

/// The desired state.
struct MountInstance {
    table: Table<Entry>,
    name: String,
    ensure: Option<Ensure>,
    device: Option<String>,
    fstype: Option<String>,
    options: Option<String>,
    dump: String,
    pass: String,
    remounts: bool,
    secrets: Vec<String>,
}

impl Kind for Mount {
    fn schema(&self) -> &KindSchema {
        &machine::MOUNT
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        p.provider(&["parsed"], &[]);
        let name = without_end(&p.name()).to_string();
        if name.is_empty() {
            p.error("name", "name must not be empty");
        }
        let allowed = ["defined", "present", "unmounted", "absent", "mounted"];
        let ensure = p.one_of("ensure", &allowed).map(|word| match word {
            "mounted" => Ensure::Mounted,
            "unmounted" => Ensure::Unmounted,
            "absent" => Ensure::Absent,
            _ => Ensure::Defined,
        });
        for name in ["fstype", "options"] {
            match p.text(name) {
                Some(text) if text.is_empty() => {
                    p.error(name, format!("{name} must not be an empty string"));
                }
                Some(text) if text.contains(char::is_whitespace) => {
                    p.error(name, format!("{name} must not contain whitespace: {text}"));
                }
                _ => {}
            }
        }
        let pass = p.text("pass").unwrap_or_else(|| "0".to_string());
        if pass.is_empty() || pass.contains(char::is_whitespace) {
            p.error("pass", "pass must be a number");
        }
        let mount = MountInstance {
            name,
            ensure,
            device: p.text("device"),
            fstype: p.text("fstype"),
            options: p.text("options"),
            dump: p.choice("dump").unwrap_or("0").to_string(),
            pass,
            remounts: !p.has("remounts") || p.boolean("remounts"),
            table: Table::of(&mut p, &self.files, TABLE),
            secrets: p.secrets(),
        };
        p.finish(Box::new(mount) as Box<dyn Instance>)
    }

    fn identity(&self, resource: &Resource) -> String {
        without_end(&Params::new(resource).name()).to_string()
    }

    fn has_instances(&self) -> bool {
        true
    }

    /// The entries of the table. Other mounts belong to the system.
    fn instances(&self, host: &Host) -> Result<Vec<Resource>, KindError> {
        self.files.unwanted(host, TABLE, "Mount")
    }

    fn instance_watches(&self, _: &Host) -> Vec<Watch> {
        vec![Watch::Path(TABLE.into())]
    }
}

impl MountInstance {
    fn is_mounted(&self, host: &Host) -> Result<bool, KindError> {
        let text = read_text(&host.path(Path::new(MOUNTED)))
            .map_err(|e| KindError::new(format!("Could not read {MOUNTED}: {e}")))?;
        let place = |line: &str| line.split(' ').nth(1).map(unescape);
        Ok(text.unwrap_or_default().lines().any(|l| place(l).as_ref() == Some(&self.name)))
    }

    /// Compares the existing entry with the desired one.
    fn compare_entry(&self, now: &Entry, to: &mut Differences<'_>) {
        let fields = [
            ("device", self.device.as_deref(), Some(now.device.as_str())),
            ("fstype", self.fstype.as_deref(), now.fstype.as_deref()),
            ("options", self.options.as_deref(), now.options.as_deref()),
            ("dump", Some(self.dump.as_str()), now.dump.as_deref()),
            ("pass", Some(self.pass.as_str()), now.pass.as_deref()),
        ];
        for (name, wanted, now) in fields {
            if let Some(wanted) = wanted.filter(|wanted| Some(*wanted) != now) {
                to.property(name, now.map_or(Value::Null, Value::str), Value::str(wanted));
            }
        }
    }

    fn desired(&self, now: &Entry) -> Entry {
        Entry {
            device: self.device.clone().unwrap_or_else(|| now.device.clone()),
            place: self.name.clone(),
            fstype: self.fstype.clone().or_else(|| now.fstype.clone()),
            options: self.options.clone().or_else(|| now.options.clone()),
            dump: Some(self.dump.clone()),
            pass: Some(self.pass.clone()),
        }
    }

    fn write(&self, host: &Host) -> Result<(), KindError> {
        let stays = self.ensure != Some(Ensure::Absent);
        self.table.change(host, &self.name, |now| {
            stays.then(|| self.desired(now.unwrap_or(&Entry::default())))
        })
    }

    fn call(&self, host: &Host, argv: &[&str]) -> Result<(), KindError> {
        run(host, &inside(host, argv.iter().copied().chain([self.name.as_str()]))).map(drop)
    }

    fn remount(&self, host: &Host) -> Result<(), KindError> {
        if self.fstype.as_deref() == Some("swap") || !self.is_mounted(host)? {
            return Ok(());
        }
        if self.remounts {
            return self.call(host, &["mount", "-o", "remount"]);
        }
        self.call(host, &["umount"])?;
        self.call(host, &["mount"])
    }
}

/// The value of `ensure` for the present state: listed, mounted, both or neither.
fn state(is_listed: bool, is_mounted: bool) -> &'static str {
    match (is_listed, is_mounted) {
        (false, false) => "absent",
        (false, true) => "ghost",
        (true, false) => "unmounted",
        (true, true) => "mounted",
    }
}

impl Instance for MountInstance {
    fn watches(&self, _: &Host) -> Vec<Watch> {
        self.table.watches()
    }

    fn poll_interval(&self, _: &Host) -> Option<Duration> {
        Some(POLL_INTERVAL)
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        let file = self.table.read(host)?;
        let entry = file.get(&self.name);
        let is_mounted = self.is_mounted(host)?;
        let now = state(entry.is_some(), is_mounted);
        let mut to = Differences::new(&self.secrets);
        let goes = match self.ensure {
            Some(Ensure::Absent) => now != "absent",
            Some(Ensure::Unmounted) => is_mounted,
            _ => false,
        };
        if goes {
            let path = protected::normal(&self.name);
            let allowed = host.may(TreeAction::Remove, Path::new(&path));
            allowed.map_err(|e| KindError::new(format!("Not unmounting: {e}")))?;
        }
        match (self.ensure, now) {
            (None, _) | (Some(Ensure::Defined), "mounted" | "unmounted") => {}
            (Some(Ensure::Mounted), "mounted") | (Some(Ensure::Unmounted), "unmounted") => {}
            (Some(Ensure::Absent), "absent") => return Ok(Vec::new()),
            (Some(Ensure::Absent), _) => {
                to.remove(Value::str(now), "absent", &format!("undefined 'ensure' from '{now}'"));
                return Ok(to.finish());
            }
            (Some(_), "absent" | "ghost") if self.device.is_none() || self.fstype.is_none() => {
                return Err(KindError::new("device and fstype are required for new mounts"));
            }
            (Some(wish), _) => {
                let word = match wish {
                    Ensure::Mounted => "mounted",
                    Ensure::Unmounted => "unmounted",
                    Ensure::Defined | Ensure::Absent => "defined",
                };
                if now == "absent" {
                    let message = format!("defined 'ensure' as '{word}'");
                    to.create_as(now, Value::str(word), message);
                } else {
                    let message = format!("ensure changed '{now}' to '{word}'");
                    to.property_as("ensure", Value::str(now), Value::str(word), message);
                }
            }
        }
        if let Some(entry) = entry {
            self.compare_entry(entry, &mut to);
        }
        Ok(to.finish())
    }

    fn apply(&self, host: &Host, made: &[Change]) -> Result<(), KindError> {
        let was_mounted = self.is_mounted(host)?;
        if self.ensure == Some(Ensure::Absent) && was_mounted {
            self.call(host, &["umount"])?;
        }
        // The table is written first, because the tools read it.
        let is_listed = self.table.read(host)?.get(&self.name).is_some();
        let fields = ["device", "fstype", "options", "dump", "pass"];
        let differs = fields.iter().any(|field| changes(made, field));
        let stays = self.ensure != Some(Ensure::Absent);
        if differs || stays != is_listed {
            self.write(host)?;
        }
        match self.ensure {
            Some(Ensure::Mounted) if !was_mounted => self.call(host, &["mount"]),
            Some(Ensure::Unmounted) if was_mounted => self.call(host, &["umount"]),
            _ => Ok(()),
        }
    }

    fn refreshable(&self) -> bool {
        true
    }

    fn refresh(&self, host: &Host) -> Result<(), KindError> {
        self.remount(host)
    }

    fn refreshes_itself(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn blanks_in_fields_are_escaped() {
        let line = "//host/a\\040b\t/mnt/x\\134y\tcifs\tro\t0\t0";
        let (name, entry) = Entry::parse(line).unwrap();
        assert_eq!((name.as_str(), entry.device.as_str()), ("/mnt/x\\y", "//host/a b"));
        assert_eq!(entry.print(), line);
        assert_eq!(unescape(&escape("\\040 \t\\134")), "\\040 \t\\134");
    }

    #[test]
    fn short_lines_and_comments_are_no_entries() {
        for line in ["", "# /dev/a /b ext4", "  # x", "/dev/a"] {
            assert!(Entry::parse(line).is_none(), "{line}");
        }
        let (name, entry) = Entry::parse("/dev/a /b///").unwrap();
        assert_eq!(
            (name.as_str(), entry.print().as_str()),
            ("/b", "/dev/a\t/b///\tauto\tdefaults\t0\t0")
        );
    }
}
