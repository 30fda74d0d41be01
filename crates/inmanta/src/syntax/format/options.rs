//! The choices of a site.

/// The choices of a site.
#[derive(Clone, Copy, Debug)]
pub struct FormatOptions {
    /// The blanks of a level.
    pub indent: u32,
    /// The characters of a line; longer ones are broken where possible.
    pub width: u32,
}

impl Default for FormatOptions {
    /// The layout of `black`.
    fn default() -> Self {
        Self { indent: 4, width: 88 }
    }
}
