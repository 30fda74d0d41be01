//! The choices of a site.

/// The choices that a site has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FormatOptions {
    /// The number of spaces of a level of indentation.
    pub indent: u32,
    /// The columns of parameters and assignments.
    pub columns: Columns,
}

impl Default for FormatOptions {
    fn default() -> Self {
        Self { indent: 2, columns: Columns::AsWritten }
    }
}

/// Whether names and equals signs of parameters, and equals signs of assignments on consecutive
/// lines, stand in columns.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Columns {
    /// In columns where the author has more than one space before one of them.
    #[default]
    AsWritten,
    /// Always.
    Always,
    /// Never.
    Never,
}
