//! Contents of sources for kinds that put them into other files.

use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io::{self, Read};
use std::path::Path;

use super::source::{FirstSource, Source, first};
use crate::kind::{KindError, ParseContext};
use crate::system::host::Host;

/// The first existing one of several sources.
pub(crate) struct CopiedContent {
    sources: Vec<Source>,
}

impl CopiedContent {
    /// Reads the addresses.
    ///
    /// # Errors
    /// When one is no address, with the message.
    pub(crate) fn parse(texts: &[String], context: &ParseContext<'_>) -> Result<Self, String> {
        let sources = texts.iter().map(|text| Source::parse(text, context));
        Ok(Self { sources: sources.collect::<Result<_, _>>()? })
    }

    /// The sources that are files.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        self.sources.iter().filter_map(Source::file)
    }

    /// The content, which has at most so many bytes.
    ///
    /// # Errors
    /// When no source exists, it cannot be read, or it is larger.
    pub(crate) fn read(&self, host: &Host, most: u64) -> Result<Vec<u8>, KindError> {
        let (text, reader): (String, io::Result<Box<dyn Read>>) =
            match first(&self.sources, true, host)? {
                FirstSource::Web(file) => ("the source".into(), file.reader(host)),
                FirstSource::Disk(found) if !found.meta.is_file() => {
                    return Err(KindError::new(format!("{} is not a file", found.text)));
                }
                FirstSource::Disk(found) => {
                    let file = File::open(&found.path).map(|file| Box::new(file) as Box<dyn Read>);
                    (found.text, file)
                }
            };
        let mut out = Vec::new();
        let done = reader.and_then(|reader| reader.take(most + 1).read_to_end(&mut out));
        done.map_err(|e| KindError::new(format!("Could not read {text}: {e}")))?;
        if out.len() as u64 > most {
            return Err(KindError::new(format!("{text} is too large")));
        }
        Ok(out)
    }
}

impl Hash for CopiedContent {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for source in &self.sources {
            (&source.text, source.file()).hash(state);
        }
    }
}
