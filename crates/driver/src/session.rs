//! Repeated compiles of the same sources.

use std::path::Path;
use std::sync::Arc;

use ordain_source::SourceMap;

use crate::compile::{Purpose, compile};
use crate::compiled::Compiled;
use crate::error::Error;
use crate::options::Options;
use crate::reporter::Reporter;

/// Compiles the same sources repeatedly. Manifests, templates, programs and documents whose text is
/// unchanged are not parsed again. Dropping the session frees the memory for them.
///
/// ```
/// use ordain_driver::{CollectingReporter, Options, Purpose, Session};
///
/// let dir = tempfile::tempdir().unwrap();
/// let path = dir.path().join("site.pp");
/// let (mut session, mut reporter) = (Session::default(), CollectingReporter::default());
/// for text in ["notify { 'a': }", "notify { ['a', 'b']: }"] {
///     std::fs::write(&path, text).unwrap();
///     let options = Options::default();
///     let compiled = session.compile(&mut reporter, &path, &options, Purpose::Inspection);
///     assert!(compiled.unwrap().graph.resources().any(|(_, r)| r.id.kind == "Notify"));
/// }
/// ```
#[derive(Default)]
pub struct Session {
    texts: Option<Arc<SourceMap>>,
}

impl Session {
    /// Options for the next compile, which reuse the texts parsed by earlier ones.
    #[must_use]
    pub fn options(&mut self, options: &Options) -> Options {
        let texts = self.texts.take().filter(|texts| !texts.is_outgrown());
        let texts = texts.unwrap_or_else(|| Arc::new(SourceMap::with_parse_cache()));
        self.texts = Some(Arc::clone(&texts));
        Options { texts: Some(texts), ..options.clone() }
    }

    /// Compiles the source at a path; see [`compile()`].
    ///
    /// # Errors
    /// When it has errors.
    pub fn compile(
        &mut self,
        reporter: &mut dyn Reporter,
        path: &Path,
        options: &Options,
        purpose: Purpose,
    ) -> Result<Compiled, Error> {
        compile(reporter, path, &self.options(options), purpose)
    }
}
