//! `mgmt::tar`: an archive of files and directories.

mod deploy;
mod header;

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use ordain_graph::Resource;
use ordain_kinds::{KindSchema, files};

use crate::kind::params::Params;
use crate::kind::{Instance, Kind, ParseContext, ParseResult};
use crate::kinds::shared::generated_file::{self, GeneratedFile};
use crate::system::host::Host;
use crate::system::watch::Watch;
pub use deploy::DeployTar;
use header::{Entry, Format};

/// The kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tar;

/// The maximum depth of directories.
const MAX_DEPTH: usize = 256;

/// The end of an archive.
const END_OF_ARCHIVE: [u8; 1024] = [0; 1024];

impl Kind for Tar {
    fn schema(&self) -> &KindSchema {
        &files::MGMT_TAR
    }

    fn parse(&self, resource: &Resource, _: &ParseContext<'_>) -> ParseResult {
        let mut p = Params::new(resource);
        let path = generated_file::path(&mut p);
        let inputs = p.list("inputs").unwrap_or_default();
        for input in &inputs {
            if !input.starts_with('/') {
                p.error("inputs", format!("'{input}' is not an absolute path"));
            } else if path.starts_with(input) {
                p.error("inputs", format!("'{input}' would include the archive itself"));
            }
        }
        let pack = ArchiveWriter::of(&mut p);
        p.finish(Box::new(Archive { path, inputs, pack }) as Box<dyn Instance>)
    }
}

struct Archive {
    path: PathBuf,
    inputs: Vec<String>,
    pack: ArchiveWriter,
}

impl GeneratedFile for Archive {
    fn path(&self) -> &Path {
        &self.path
    }

    fn inputs(&self, _: &Host) -> Vec<Watch> {
        self.inputs.iter().map(|input| Watch::Tree(input.into())).collect()
    }

    fn produce(&self, host: &Host, out: &mut dyn Write) -> io::Result<()> {
        for input in &self.inputs {
            let real = host.path(Path::new(input));
            let meta = fs::metadata(&real).map_err(|e| named(input, &e))?;
            let last = input.rsplit('/').next().unwrap_or_default();
            if meta.is_dir() {
                let prefix = if last.is_empty() { String::new() } else { format!("{last}/") };
                self.pack.directory(host, &real, prefix.into_bytes(), 0, out)?;
            } else {
                self.pack.entry(host, &real, last.as_bytes(), &meta, out)?;
            }
        }
        out.write_all(&END_OF_ARCHIVE)
    }
}

/// Writes files into an archive.
struct ArchiveWriter {
    format: Format,
}

impl ArchiveWriter {
    /// The declared format.
    fn of(p: &mut Params<'_>) -> Self {
        let format = match p.integer("format", "format must be 0, 2, 4 or 8") {
            None | Some(0) => Format::Fitting,
            Some(2) => Format::Ustar,
            Some(4) => Format::Pax,
            Some(8) => Format::Gnu,
            Some(_) => {
                p.error("format", "format must be 0, 2, 4 or 8");
                Format::Fitting
            }
        };
        Self { format }
    }

    /// The entries of a directory, in the order of their names.
    fn directory(
        &self,
        host: &Host,
        dir: &Path,
        prefix: Vec<u8>,
        depth: usize,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let fail = |e: &io::Error| named(&dir.to_string_lossy(), e);
        if depth > MAX_DEPTH {
            return Err(fail(&io::Error::other("the directories are nested too deep")));
        }
        let mut names = Vec::new();
        for entry in fs::read_dir(dir).map_err(|e| fail(&e))? {
            names.push(entry.map_err(|e| fail(&e))?.file_name());
        }
        names.sort();
        for name in names {
            let path = dir.join(&name);
            let meta = fs::symlink_metadata(&path).map_err(|e| fail(&e))?;
            let mut full = prefix.clone();
            full.extend_from_slice(name.as_bytes());
            if meta.is_dir() {
                full.push(b'/');
                self.entry(host, &path, &full, &meta, out)?;
                self.directory(host, &path, full, depth + 1, out)?;
            } else {
                self.entry(host, &path, &full, &meta, out)?;
            }
        }
        Ok(())
    }

    fn entry(
        &self,
        host: &Host,
        path: &Path,
        name: &[u8],
        meta: &Metadata,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let fail = |e: &io::Error| named(&path.to_string_lossy(), e);
        if !meta.is_file() && !meta.is_dir() {
            return Err(fail(&io::Error::other("it is neither a file nor a directory")));
        }
        let entry = Entry::new(host, name, meta);
        let header = entry.header(self.format).map_err(|e| fail(&e))?;
        out.write_all(&header)?;
        if meta.is_dir() {
            return Ok(());
        }
        let file = File::open(path).map_err(|e| fail(&e))?;
        let copied = io::copy(&mut file.take(meta.len()), &mut BorrowedWriter(out))?;
        if copied != meta.len() {
            return Err(fail(&io::Error::other("it became shorter while it was read")));
        }
        let rest = (512 - meta.len() % 512) % 512;
        out.write_all(&END_OF_ARCHIVE[..rest as usize])
    }
}

/// A writer that is only borrowed.
struct BorrowedWriter<'a>(&'a mut dyn Write);

impl Write for BorrowedWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn named(path: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{path}: {error}"))
}
