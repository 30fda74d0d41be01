//! Where a value of a document comes from, as text and as JSON.

use std::io::Write;

use ordain_dynaml::explain::{Explained, Role, Source};
use ordain_dynaml::session::Input;
use ordain_source::{FileId, SourceMap};
use serde_json::{Value as Json, json};

use crate::exit::Failure;
use crate::show::gap;
use crate::ui::{Ui, styles};

/// The widest excerpt.
const EXCERPT_WIDTH: usize = 68;

/// The texts that places are in.
pub struct Texts {
    sources: SourceMap,
    files: Vec<FileId>,
}

impl Texts {
    /// The files of a run.
    pub fn new(files: &[Input]) -> Self {
        let sources = SourceMap::new();
        let files = files.iter().map(|f| sources.add(&*f.name, f.text.as_str())).collect();
        Self { sources, files }
    }

    /// The file, the line, the column and what the line says.
    fn place(&self, source: &Source) -> Option<(String, u32, u32, String)> {
        let file = self.sources.file(*self.files.get(source.place.0 as usize)?);
        let at = file.line_col(source.place.1.start);
        let text = file.line_text(at.line);
        let text: String = text.chars().filter(|c| *c == '\t' || !c.is_control()).collect();
        let cut = text.char_indices().nth(EXCERPT_WIDTH).map(|(i, _)| i);
        let text = cut.map_or_else(|| text.clone(), |i| format!("{}...", &text[..i]));
        Some((file.path.display().to_string(), at.line, at.column, text.trim_end().to_owned()))
    }
}

/// Writes the value, and a step a line with what is written there.
///
/// # Errors
/// When standard output cannot be written.
pub fn write(ui: &mut Ui, explained: &Explained, texts: &Texts) -> Result<(), Failure> {
    let value = explained.source.value.clone().unwrap_or_default();
    let lines: Vec<&str> = value.lines().collect();
    match lines[..] {
        [one] => writeln!(ui.out(), "{} = {one}", explained.path)?,
        _ => {
            writeln!(ui.out(), "{} =", explained.path)?;
            for line in lines {
                writeln!(ui.out(), "  {line}")?;
            }
        }
    }
    step(ui, &explained.source, texts, "  ")
}

fn step(ui: &mut Ui, source: &Source, texts: &Texts, indent: &str) -> Result<(), Failure> {
    let mut text = format!("{indent}{}", source.role.words());
    if source.role == Role::Reference {
        text = format!("{text} {}", source.path);
        let value = source.value.as_deref().unwrap_or_default().trim_end();
        if !value.contains('\n') {
            text = format!("{text} = {value}");
        }
    }
    if let Some((file, line, column, excerpt)) = texts.place(source) {
        let place = format!("{file}:{line}:{column}");
        let shown = ui.styled(styles::DIM, &place);
        match gap(&text, &place) {
            Some(gap) => writeln!(ui.out(), "{text}{:gap$}{shown}", "")?,
            None => writeln!(ui.out(), "{text}\n{indent}  {shown}")?,
        }
        let number = ui.styled(styles::DIM, &format!("{line:>4} |"));
        writeln!(ui.out(), "{indent}  {number} {excerpt}")?;
    } else {
        writeln!(ui.out(), "{text}")?;
    }
    for inner in &source.from {
        step(ui, inner, texts, &format!("{indent}  "))?;
    }
    Ok(())
}

/// The same as a document.
pub fn json(explained: &Explained, texts: &Texts) -> Json {
    json!({
        "format": "ordain-value-origin", "version": 1,
        "path": explained.path, "origin": one(&explained.source, texts),
    })
}

fn one(source: &Source, texts: &Texts) -> Json {
    let mut out = json!({ "step": source.role.key(), "path": source.path });
    if let Some((file, line, column, _)) = texts.place(source) {
        out["file"] = json!(file);
        out["line"] = json!(line);
        out["column"] = json!(column);
    }
    if let Some(expr) = &source.expr {
        out["expression"] = json!(expr);
    }
    if let Some(value) = &source.value {
        out["value"] = json!(value);
    }
    if !source.from.is_empty() {
        out["from"] = source.from.iter().map(|s| one(s, texts)).collect();
    }
    out
}
