//! The files of a run.

/// A file to merge.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// Its name, as errors show it.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The key under which the document is put, in a map of nothing else.
    pub under: Option<String>,
}
