//! The formatter: the text of a manifest in its canonical layout.
//!
//! Only blanks, line breaks and commas at the end of lists change, so the tree stays the same. Line
//! breaks between statements, list elements and operands are the author's; indentation, spaces,
//! alignment and the breaks of a list that spans lines follow the style guide.
//!
//! | file | step |
//! | --- | --- |
//! | `atoms` | tokens, comments and the blanks between them |
//! | `groups` | the brackets: their kind, and whether they span lines |
//! | `layout` | the break or space before each atom |
//! | `spacing` | where two atoms on one line have a space between them |
//! | `align` | columns of arrows, parameters, assignments and comments |
//! | `tokens`, `options` | classes of tokens; the choices of a site |

mod align;
mod atoms;
mod groups;
mod layout;
mod options;
mod spacing;
mod tokens;

use ordain_source::{Diagnostic, FileId, Severity};

use crate::{parse, pn};

pub use options::{Columns, FormatOptions};

/// The reason why a text stays as it is.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// The text does not parse.
    #[error("the manifest does not parse")]
    Syntax(Vec<Diagnostic>),
    /// The formatted text would mean something else, which is a defect of the formatter.
    #[error("the formatter would change the meaning of this manifest")]
    Unsafe,
}

/// The canonical layout of a manifest.
///
/// ```
/// use ordain_puppet_syntax::format::{FormatOptions, format};
///
/// let text = "file{'/etc/motd': ensure=>file,\n  content=>'hello' }\n";
/// let formatted = format(text, &FormatOptions::default())?;
/// assert_eq!(formatted, "file { '/etc/motd':\n  ensure  => file,\n  content => 'hello',\n}\n");
/// # Ok::<(), ordain_puppet_syntax::format::FormatError>(())
/// ```
///
/// # Errors
/// When the text does not parse.
pub fn format(text: &str, options: &FormatOptions) -> Result<String, FormatError> {
    let parsed = parse(FileId(0), text);
    if parsed.diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return Err(FormatError::Syntax(parsed.diagnostics));
    }
    let atoms = atoms::read(text);
    let groups = groups::find(&atoms, &parsed.program);
    let mut lines = layout::lay_out(&atoms, &groups, options);
    align::align(&mut lines, text, &atoms, &groups, options);
    let formatted = lines.render(text);
    let again = parse(FileId(0), formatted.as_str());
    let is_same = pn::print(&again.program) == pn::print(&parsed.program)
        && again.program.comments.len() == parsed.program.comments.len();
    if is_same { Ok(formatted) } else { Err(FormatError::Unsafe) }
}
