//! The filter `pprint`: Python's `pprint.pformat`.

use ordain_functions::text::repr_python;

use super::super::arguments::BoundArguments;
use super::super::fault::{Fault, Res};
use super::super::methods;
use super::super::runtime::Runtime;
use super::super::value::Val;
use crate::diagnostics::Exception;

/// The width of lines, in characters.
const WIDTH: usize = 80;

pub(super) fn pprint(runtime: &mut Runtime<'_>, bound: &BoundArguments, _: bool) -> Res<Val> {
    let mut out = String::new();
    write(runtime, &bound.at(0), &mut out, Layout { indent: 0, behind: 0, level: 1 })?;
    runtime.text_fits(out.len())?;
    Ok(Val::str(out))
}

/// The position of a value: its indentation, the length of the text after it on its line, and its
/// depth.
#[derive(Clone, Copy)]
struct Layout {
    indent: usize,
    behind: usize,
    level: usize,
}

/// The entries of a dict, sorted if the keys can be compared.
fn sorted_entries(runtime: &mut Runtime<'_>, value: &Val) -> Res<Vec<(Val, Val)>> {
    let mut entries = runtime.entries(value)?;
    let is_uniform = entries.windows(2).all(|pair| {
        let is_text = |value: &Val| value.as_text().is_some();
        (is_text(&pair[0].0) && is_text(&pair[1].0))
            || (pair[0].0.is_number() && pair[1].0.is_number())
    });
    if is_uniform {
        let keyed: Vec<(Val, Val)> = entries
            .iter()
            .map(|(key, value)| (key.clone(), Val::tuple(vec![key.clone(), value.clone()])))
            .collect();
        let sorted = runtime.sorted(keyed, false)?;
        return Ok(sorted.iter().filter_map(pair).collect());
    }
    // Keys that cannot be compared are sorted by type name.
    entries.sort_by(|(a, _), (b, _)| a.type_name().cmp(b.type_name()));
    Ok(entries)
}

fn pair(value: &Val) -> Option<(Val, Val)> {
    match value {
        Val::Tuple(found) => match &found.items[..] {
            [key, value] => Some((key.clone(), value.clone())),
            _ => None,
        },
        _ => None,
    }
}

/// A value on one line, with sorted dicts.
fn flat(runtime: &mut Runtime<'_>, value: &Val, depth: usize) -> Res<String> {
    if depth > 200 {
        return Err(Fault::Raised(
            Exception::RecursionError,
            "maximum recursion depth exceeded".into(),
        ));
    }
    runtime.step(1)?;
    let items = |runtime: &mut Runtime<'_>, items: &[Val]| {
        let parts: Res<Vec<String>> =
            items.iter().map(|item| flat(runtime, item, depth + 1)).collect();
        parts.map(|parts| parts.join(", "))
    };
    let shown = match value {
        Val::List(found) => {
            let all = found.borrow().clone();
            format!("[{}]", items(runtime, &all)?)
        }
        Val::Tuple(found) if !found.is_group => {
            let comma = if found.items.len() == 1 { "," } else { "" };
            format!("({}{comma})", items(runtime, &found.items)?)
        }
        Val::Dict(_) => {
            let mut parts = Vec::new();
            for (key, value) in sorted_entries(runtime, value)? {
                let key = flat(runtime, &key, depth + 1)?;
                parts.push(format!("{key}: {}", flat(runtime, &value, depth + 1)?));
            }
            format!("{{{}}}", parts.join(", "))
        }
        other => runtime.repr(other)?,
    };
    // The text is copied into the outer value, which takes time.
    runtime.step(shown.len() as u64 / 16)?;
    runtime.text_fits(shown.len())?;
    Ok(shown)
}

fn width(text: &str) -> usize {
    text.chars().count()
}

fn write(runtime: &mut Runtime<'_>, value: &Val, out: &mut String, room: Layout) -> Res<()> {
    let shown = flat(runtime, value, room.level)?;
    runtime.text_fits(out.len() + shown.len())?;
    let most = WIDTH.saturating_sub(room.indent + room.behind);
    if width(&shown) <= most {
        out.push_str(&shown);
        return Ok(());
    }
    match value {
        Val::List(found) => {
            let items = found.borrow().clone();
            out.push('[');
            write_items(runtime, &items, out, Layout { behind: room.behind + 1, ..room })?;
            out.push(']');
        }
        Val::Tuple(found) if !found.is_group => {
            let end = if found.items.len() == 1 { ",)" } else { ")" };
            out.push('(');
            let behind = room.behind + end.len();
            write_items(runtime, &found.items, out, Layout { behind, ..room })?;
            out.push_str(end);
        }
        Val::Dict(_) => {
            out.push('{');
            let entries = sorted_entries(runtime, value)?;
            let count = entries.len();
            for (index, (key, value)) in entries.into_iter().enumerate() {
                if index > 0 {
                    out.push_str(",\n");
                    out.push_str(&" ".repeat(room.indent + 1));
                }
                let key = flat(runtime, &key, room.level)?;
                out.push_str(&key);
                out.push_str(": ");
                let is_last = index + 1 == count;
                let inner = Layout {
                    indent: room.indent + 1 + width(&key) + 2,
                    behind: if is_last { room.behind + 1 } else { 1 },
                    level: room.level + 1,
                };
                write(runtime, &value, out, inner)?;
            }
            out.push('}');
        }
        Val::Str(text) => write_text(text, out, room),
        _ => out.push_str(&shown),
    }
    Ok(())
}

fn write_items(
    runtime: &mut Runtime<'_>,
    items: &[Val],
    out: &mut String,
    room: Layout,
) -> Res<()> {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push_str(",\n");
            out.push_str(&" ".repeat(room.indent + 1));
        }
        let is_last = index + 1 == items.len();
        let inner = Layout {
            indent: room.indent + 1,
            behind: if is_last { room.behind } else { 1 },
            level: room.level + 1,
        };
        write(runtime, item, out, inner)?;
    }
    Ok(())
}

/// Writes a long text as parts on separate lines.
fn write_text(text: &str, out: &mut String, room: Layout) {
    let is_outermost = room.level == 1;
    let indent = room.indent + usize::from(is_outermost);
    let behind = room.behind + usize::from(is_outermost);
    let most = WIDTH.saturating_sub(indent);
    let mut parts: Vec<String> = Vec::new();
    let lines = methods::lines(text, true);
    for (index, line) in lines.iter().enumerate() {
        let is_last = index + 1 == lines.len();
        let room_here = if is_last { most.saturating_sub(behind) } else { most };
        let shown = repr_python(line);
        if width(&shown) <= room_here {
            parts.push(shown);
            continue;
        }
        let words = words(line);
        let mut current = String::new();
        for (number, word) in words.iter().enumerate() {
            let candidate = format!("{current}{word}");
            let is_end = is_last && number + 1 == words.len();
            let room_here = if is_end { most.saturating_sub(behind) } else { most };
            if width(&repr_python(&candidate)) > room_here {
                if !current.is_empty() {
                    parts.push(repr_python(&current));
                }
                current = (*word).to_owned();
            } else {
                current = candidate;
            }
        }
        if !current.is_empty() {
            parts.push(repr_python(&current));
        }
    }
    if let [only] = &parts[..] {
        out.push_str(only);
        return;
    }
    out.push_str(if is_outermost { "(" } else { "" });
    out.push_str(&parts.join(&format!("\n{}", " ".repeat(indent))));
    out.push_str(if is_outermost { ")" } else { "" });
}

/// The words of a line with their trailing blanks.
fn words(line: &str) -> Vec<&str> {
    let is_blank = ordain_functions::text::is_python_space;
    let mut found = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let word = rest.find(is_blank).unwrap_or(rest.len());
        let blank = rest[word..].find(|c| !is_blank(c)).unwrap_or(rest.len() - word);
        found.push(&rest[..word + blank]);
        rest = &rest[word + blank..];
    }
    found
}
