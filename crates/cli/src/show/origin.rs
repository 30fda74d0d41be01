//! The chain that led to a value, with the lines of the source.

use std::io::Write;

use ordain_graph::place::{Place, place};
use ordain_graph::{Origin, OriginId, Step};
use serde_json::{Value as Json, json};

use crate::exit::Failure;
use crate::graphs::Loaded;
use crate::show::gap;
use crate::ui::{Ui, styles};

/// The widest excerpt.
const EXCERPT_WIDTH: usize = 68;

/// Writes a line for each step, innermost first, with what is written there. Steps that also led to
/// `known` are left out.
///
/// # Errors
/// When standard output cannot be written.
pub fn write(
    ui: &mut Ui,
    loaded: &Loaded,
    id: OriginId,
    indent: &str,
    known: Option<OriginId>,
) -> Result<(), Failure> {
    let known: Vec<&Origin> =
        known.into_iter().flat_map(|id| loaded.graph.origins.chain(id)).collect();
    let is_new = |origin: &&Origin| !known.iter().any(|k| std::ptr::eq(*k, *origin));
    let chain: Vec<&Origin> = loaded.graph.origins.chain(id).take_while(is_new).collect();
    for origin in chain {
        let text = format!("{indent}{}", words(&origin.step));
        let Some(at) = own_place(loaded, origin) else {
            // What is declared in a catalog has its place in the next step.
            if origin.step != Step::Declaration {
                writeln!(ui.out(), "{text}")?;
            }
            continue;
        };
        let at_text = at.to_string();
        let shown = ui.styled(styles::DIM, &at_text);
        match gap(&text, &at_text) {
            Some(gap) => writeln!(ui.out(), "{text}{:gap$}{shown}", "")?,
            None => writeln!(ui.out(), "{text}\n{indent}  {shown}")?,
        }
        if let Some(line) = line_text(loaded, origin, &at) {
            let number = ui.styled(styles::DIM, &format!("{:>4} |", at.line));
            writeln!(ui.out(), "{indent}  {number} {line}")?;
        }
    }
    Ok(())
}

/// ` (file:line)`, or nothing.
pub fn place_text(loaded: &Loaded, id: OriginId) -> String {
    place(&loaded.graph, id, &loaded.sources)
        .map(|p| format!(" ({})", p.of_line()))
        .unwrap_or_default()
}

/// The chain as a list of objects, innermost first.
pub fn json(loaded: &Loaded, id: OriginId) -> Json {
    let step = |origin: &Origin| {
        let (name, detail) = key(&origin.step);
        let mut out = json!({ "step": name });
        if let Some(detail) = detail {
            out["name"] = json!(detail);
        }
        if let Step::Data { key, .. } = &origin.step {
            out["key"] = json!(key.as_str());
        }
        if let Some(at) = own_place(loaded, origin) {
            out["file"] = json!(at.file);
            out["line"] = json!(at.line);
            if at.column > 0 {
                out["column"] = json!(at.column);
            }
        }
        out
    };
    loaded.graph.origins.chain(id).map(step).collect()
}

fn own_place(loaded: &Loaded, origin: &Origin) -> Option<Place> {
    match (&origin.step, origin.span) {
        (Step::Data { file, line, .. }, _) if *line > 0 => {
            Some(Place { file: file.to_string(), line: *line, column: 0 })
        }
        (Step::Data { file, .. }, None) => {
            Some(Place { file: file.to_string(), line: 1, column: 0 })
        }
        (_, Some(span)) => {
            let file = loaded.sources.file(span.file);
            let at = file.line_col(span.range.start);
            let name = file.path.display().to_string();
            Some(Place { file: name, line: at.line, column: at.column })
        }
        (Step::External(text), None) => Place::parse(text),
        _ => None,
    }
}

/// What is written at a place; nothing if the file is not at hand.
fn line_text(loaded: &Loaded, origin: &Origin, at: &Place) -> Option<String> {
    let text = match (&origin.step, origin.span) {
        (Step::Data { line: 0, .. }, _) => return None,
        (Step::Data { .. }, _) | (_, None) => {
            let text = std::fs::read_to_string(&at.file).ok()?;
            text.lines().nth((at.line as usize).checked_sub(1)?)?.to_string()
        }
        (_, Some(span)) => loaded.sources.file(span.file).line_text(at.line).to_string(),
    };
    let text: String = text.chars().filter(|c| *c == '\t' || !c.is_control()).collect();
    let text = text.trim_end();
    let cut = text.char_indices().nth(EXCERPT_WIDTH).map(|(i, _)| i);
    Some(cut.map_or_else(|| text.to_string(), |i| format!("{}...", &text[..i])))
}

fn words(step: &Step) -> String {
    match step {
        Step::Declaration => "written at".into(),
        Step::TypeDefault => "a default of the resource type".into(),
        Step::Override => "set by an override".into(),
        Step::CollectorOverride => "set by a collector".into(),
        Step::ParameterDefault => "the default of the parameter".into(),
        Step::Data { key, .. } => format!("found in data under {key}"),
        Step::Relation => "asked for by a relation".into(),
        Step::External(text) if Place::parse(text).is_some() => "written at".into(),
        Step::External(text) => format!("given by {text}"),
        Step::Class(name) => format!("in class {name}, declared at"),
        Step::Define(name) => format!("in {name}, declared at"),
        Step::Node(name) => format!("in node {name}"),
        Step::Function(name) => format!("in function {name}, called at"),
        Step::Inherited(name) => format!("inherited from {name}"),
    }
}

fn key(step: &Step) -> (&'static str, Option<&str>) {
    match step {
        Step::Declaration => ("declaration", None),
        Step::TypeDefault => ("type-default", None),
        Step::Override => ("override", None),
        Step::CollectorOverride => ("collector-override", None),
        Step::ParameterDefault => ("parameter-default", None),
        Step::Data { .. } => ("data", None),
        Step::Relation => ("relation", None),
        Step::External(name) => ("external", Some(name)),
        Step::Class(name) => ("class", Some(name)),
        Step::Define(name) => ("define", Some(name)),
        Step::Node(name) => ("node", Some(name)),
        Step::Function(name) => ("function", Some(name)),
        Step::Inherited(name) => ("inherited", Some(name)),
    }
}
