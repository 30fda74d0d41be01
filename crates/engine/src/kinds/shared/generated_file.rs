//! Files whose whole content is generated from others: compared and written in pieces.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ordain_data::Value;

use crate::kind::differences::Differences;
use crate::kind::params::Params;
use crate::kind::{Change, Instance, KindError};
use crate::system::host::Host;
use crate::system::watch::Watch;
use crate::system::write::{Data, Owner, WriteContent, rewrite_with};

/// A file whose content is generated from others.
pub(crate) trait GeneratedFile: Send + Sync {
    /// The path of the file.
    fn path(&self) -> &Path;

    /// The watches of its inputs.
    fn inputs(&self, host: &Host) -> Vec<Watch>;

    /// Writes the content.
    ///
    /// # Errors
    /// When an input cannot be read, or the writer fails.
    fn produce(&self, host: &Host, out: &mut dyn Write) -> io::Result<()>;

    /// As [`Instance::poll_interval`].
    fn poll_interval(&self, _host: &Host) -> Option<Duration> {
        None
    }
}

impl<F: GeneratedFile> Instance for F {
    fn watches(&self, host: &Host) -> Vec<Watch> {
        let own = Watch::Path(self.path().to_owned());
        std::iter::once(own).chain(self.inputs(host)).collect()
    }

    fn poll_interval(&self, host: &Host) -> Option<Duration> {
        GeneratedFile::poll_interval(self, host)
    }

    fn compare(&self, host: &Host) -> Result<Vec<Change>, KindError> {
        compare(host, self.path(), &|out| self.produce(host, out))
    }

    fn apply(&self, host: &Host, changes: &[Change]) -> Result<(), KindError> {
        match changes.is_empty() {
            true => Ok(()),
            false => write(host, self.path(), &|out| self.produce(host, out)),
        }
    }
}

/// The difference between a file and its desired content.
fn compare(host: &Host, path: &Path, produce: WriteContent<'_>) -> Result<Vec<Change>, KindError> {
    let mut differences = Differences::new(&[]);
    match File::open(host.path(path)) {
        Ok(file) => {
            if !is_made_of(file, produce).map_err(|e| failed("compare", path, &e))? {
                let what = |text| Value::str(text);
                differences.property("content", what("old"), what("new"));
            }
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            // A missing input is an error before anything is changed.
            produce(&mut io::sink()).map_err(|e| failed("make", path, &e))?;
            differences.create("absent", Value::str("file"));
        }
        Err(e) => return Err(failed("read", path, &e)),
    }
    Ok(differences.finish())
}

/// Gives a file its content.
fn write(host: &Host, path: &Path, produce: WriteContent<'_>) -> Result<(), KindError> {
    let owner = Owner { mode: 0o644, ids: None };
    rewrite_with(host, path, &Data::Made(produce), owner).map_err(|e| failed("write", path, &e))
}

fn failed(what: &str, path: &Path, error: &io::Error) -> KindError {
    KindError::new(format!("Could not {what} {}: {error}", path.display()))
}

fn is_made_of(file: File, produce: WriteContent<'_>) -> io::Result<bool> {
    let mut comparison =
        Comparison { file: BufReader::with_capacity(1 << 16, file), differs: false };
    if let Err(error) = produce(&mut comparison) {
        return if comparison.differs { Ok(false) } else { Err(error) };
    }
    Ok(comparison.file.read(&mut [0])? == 0)
}

/// A writer that compares its input with a file; the first difference is an error.
struct Comparison {
    file: BufReader<File>,
    differs: bool,
}

impl Write for Comparison {
    fn write(&mut self, wanted: &[u8]) -> io::Result<usize> {
        let mut own = [0; 4096];
        let count = wanted.len().min(own.len());
        let found = self.file.read(&mut own[..count])?;
        if count > 0 && (found == 0 || own[..found] != wanted[..found]) {
            self.differs = true;
            return Err(io::Error::other("the file differs"));
        }
        Ok(found)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The path of the file: `path`, or the name. It cannot be a directory.
pub(crate) fn path(p: &mut Params<'_>) -> PathBuf {
    let (field, path) = match p.text("path").filter(|path| !path.is_empty()) {
        Some(path) => ("path", path),
        None => ("name", p.name()),
    };
    if !path.starts_with('/') || path.ends_with('/') {
        p.error(field, "path must be absolute and not end with a slash");
    }
    path.into()
}
