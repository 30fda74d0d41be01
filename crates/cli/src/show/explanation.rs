//! Prints explanations with source excerpts.

use std::io::Write;

use ordain_graph::explain::{Cause, Explanation, Relation};

use crate::exit::Failure;
use crate::screen::Style;
use crate::show::gap;
use crate::show::value::shown;
use crate::ui::Ui;

/// The widest excerpt, in characters.
const EXCERPT_WIDTH: usize = 68;

/// Writes the subject and its value, then a line for each step with a source excerpt.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn write(ui: &mut Ui, explanation: &Explanation) -> Result<(), Failure> {
    let subject = Style::Bold.apply(&explanation.subject);
    match &explanation.value {
        None => writeln!(ui.out(), "{subject}")?,
        Some((value, _)) if value.trim_end().contains('\n') => {
            writeln!(ui.out(), "{subject} =")?;
            for line in value.lines() {
                writeln!(ui.out(), "  {line}")?;
            }
        }
        Some((value, _)) => ui.line(&format!("{subject} = {}", value.trim_end()), 4)?,
    }
    for cause in &explanation.causes {
        write_cause(ui, cause, "  ")?;
    }
    for relation in &explanation.relations {
        write_relation(ui, relation)?;
    }
    if !explanation.tags.is_empty() {
        ui.line(&format!("  tagged {}", explanation.tags.join(", ")), 9)?;
    }
    for (n, part) in explanation.parts.iter().enumerate() {
        if n == 0 {
            writeln!(ui.out())?;
        }
        write(ui, part)?;
    }
    Ok(())
}

fn write_cause(ui: &mut Ui, cause: &Cause, indent: &str) -> Result<(), Failure> {
    let text = match &cause.value {
        Some(value) if cause.step == "variable" => {
            format!("{indent}{}: {}", cause.words, shown(value))
        }
        _ => format!("{indent}{}", cause.words),
    };
    if let Some(place) = &cause.place {
        let at = place.to_string();
        let dim = Style::Dim.apply(&at);
        match gap(&text, &at) {
            Some(gap) => writeln!(ui.out(), "{text}{:gap$}{dim}", "")?,
            None => {
                ui.line(&text, indent.len() + 2)?;
                ui.line(&format!("{indent}  {dim}"), indent.len() + 4)?;
            }
        }
        if let Some(line) = &cause.line {
            let number = Style::Dim.apply(&format!("{:>4} |", place.line));
            writeln!(ui.out(), "{indent}  {number} {}", excerpt(line))?;
        }
    } else if cause.step != "declaration" {
        // The declaration in a catalog has its place in the next step.
        ui.line(&text, indent.len() + 2)?;
    }
    for cause in &cause.from {
        write_cause(ui, cause, &format!("{indent}  "))?;
    }
    Ok(())
}

fn write_relation(ui: &mut Ui, relation: &Relation) -> Result<(), Failure> {
    let place = relation.place.clone().map(|p| format!(" ({})", p.of_line())).unwrap_or_default();
    ui.line(&format!("  {} {}{place}", relation.words, relation.other), 4)?;
    Ok(())
}

/// The part of a source line that is shown.
fn excerpt(line: &str) -> String {
    let text: String = line.chars().filter(|c| *c == '\t' || !c.is_control()).collect();
    let text = text.trim_end();
    let cut = text.char_indices().nth(EXCERPT_WIDTH).map(|(i, _)| i);
    cut.map_or_else(|| text.to_string(), |i| format!("{}...", &text[..i]))
}
