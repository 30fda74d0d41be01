//! Unpacking an archive with the programs of the machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ordain_functions::shell::escape;

use crate::kind::KindError;
use crate::kinds::shared::command::CommandContext;
use crate::system::host::Host;
use crate::system::path::resolve;
use crate::system::write::set_mode;

/// How an archive is unpacked.
pub(super) struct Extraction {
    /// The directory that it is unpacked in.
    pub(super) directory: PathBuf,
    /// A command of the user's.
    pub(super) command: Option<String>,
    pub(super) flags: Flags,
    pub(super) user: Option<String>,
    pub(super) group: Option<String>,
}

/// Options of the programs that unpack.
pub(super) enum Flags {
    Default,
    /// For whichever program.
    Text(String),
    ByProgram(BTreeMap<String, String>),
}

impl Flags {
    fn of<'f>(&'f self, program: &str, default: &'f str) -> &'f str {
        match self {
            Self::Default => default,
            Self::Text(text) => text,
            Self::ByProgram(all) => all.get(program).map_or("", String::as_str),
        }
    }
}

impl Extraction {
    /// Unpacks the archive at a path of the machine.
    pub(super) fn run(&self, host: &Host, archive: &Path) -> Result<(), KindError> {
        let line = self.line(archive)?;
        if self.user.is_some() || self.group.is_some() {
            let place = resolve(host, archive, true);
            // The user has to be able to read it.
            place.and_then(|place| set_mode(host, &place, 0o644)).map_err(|e| {
                KindError::new(format!("Could not set the mode of {}: {e}", archive.display()))
            })?;
        }
        let surroundings = CommandContext {
            cwd: Some(self.directory.clone()),
            user: self.user.clone(),
            group: self.group.clone(),
            ..CommandContext::default()
        };
        surroundings.run(host, &["/bin/sh", "-c", &line]).map(drop)
    }

    /// The command line for a shell.
    fn line(&self, archive: &Path) -> Result<String, KindError> {
        let file = escape(&archive.to_string_lossy());
        match &self.command {
            Some(command) if command.contains("%s") => {
                return Ok(command.replacen("%s", &file, 1).replace("%%", "%"));
            }
            Some(command) => {
                let flags = match &self.flags {
                    Flags::Default => "",
                    flags => flags.of("", ""),
                };
                return Ok(format!("{command} {flags} {file}"));
            }
            None => {}
        }
        let name = archive.to_string_lossy();
        let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
        let flags =
            |program: &str, default: &'static str| self.flags.of(program, default).to_string();
        let tar = |default| format!("tar {} {file}", flags("tar", default));
        Ok(if ends(&[".tar"]) {
            tar("xf")
        } else if ends(&[".tgz", ".tar.gz"]) {
            tar("xzf")
        } else if ends(&[".tbz", ".tar.bz2"]) {
            tar("xjf")
        } else if ends(&[".txz", ".tar.xz"]) {
            let (unpack, tar) = (flags("unxz", "-dc"), flags("tar", "xf"));
            format!("unxz {unpack} {file} | tar {tar} -")
        } else if ends(&[".gz"]) {
            format!("gunzip {} {file}", flags("gunzip", "-d"))
        } else if ends(&[".zip", ".war", ".jar"]) {
            format!("unzip {} {file}", flags("zip", "-o"))
        } else if ends(&[".bz2"]) {
            format!("bunzip2 {} {file}", flags("bunzip2", "-d"))
        } else if ends(&[".tar.Z"]) {
            format!("uncompress -c {file} | tar {} -", flags("tar", "xf"))
        } else {
            return Err(KindError::new(format!("Unknown filetype: {name}")));
        })
    }
}
