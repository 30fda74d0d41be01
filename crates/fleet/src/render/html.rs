//! The comparison as one HTML page without outside resources.

use std::fmt::Write;

use super::describe::{count, describe, names, summary};
use super::line::{Line, Tone};
use crate::result::{FleetDiff, Group};

const STYLE: &str = include_str!("page.css");

/// The page. It has no scripts, and its policy allows none.
pub fn html(diff: &FleetDiff) -> String {
    let notes: Vec<String> = diff.notes.iter().map(|note| format!("Note: {note}")).collect();
    html_page(diff, &summary(diff, diff.groups().len()), &notes)
}

/// The page with another title, and lines between it and the groups.
pub fn html_page(diff: &FleetDiff, title: &str, lines: &[String]) -> String {
    let title = escaped(title);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src \
         'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    for line in lines {
        add(&mut out, format_args!("<p class=\"dim\">{}</p>\n", escaped(line)));
    }
    for group in &diff.groups() {
        section(diff, group, &mut out);
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn add(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = out.write_fmt(text);
}

fn section(diff: &FleetDiff, group: &Group<'_>, out: &mut String) {
    out.push_str("<section>\n");
    if !diff.is_single {
        let heading =
            format!("{}: {}", count(group.nodes.len(), "node"), names(&group.nodes, usize::MAX));
        add(out, format_args!("<h2>{}</h2>\n", escaped(&heading)));
        if group.nodes.len() > super::describe::MAX_NAMES {
            out.push_str("<details><summary>All nodes</summary><ul>\n");
            for node in &group.nodes {
                add(out, format_args!("<li>{}</li>\n", escaped(node)));
            }
            out.push_str("</ul></details>\n");
        }
    }
    let mut last = None;
    for found in &group.changes {
        let described = describe(found, true);
        if last.as_ref() != Some(&described.heading) {
            let class = class(&described.heading);
            let heading = escaped(&described.heading.text);
            add(out, format_args!("<h3 class=\"{class}\">{heading}</h3>\n"));
        }
        out.push_str("<pre>");
        for line in &described.lines {
            add(
                out,
                format_args!("<span class=\"{}\">{}</span>\n", class(line), escaped(&line.text)),
            );
        }
        out.push_str("</pre>\n");
        last = Some(described.heading);
    }
    out.push_str("</section>\n");
}

fn class(line: &Line) -> &'static str {
    match line.tone {
        Tone::Plain => "plain",
        Tone::Heading => "heading",
        Tone::Add => "add",
        Tone::Remove => "remove",
        Tone::Change => "change",
        Tone::Dim => "dim",
    }
}

/// Text for the page; nothing in it is markup.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' => out.push(c),
            c if ordain_source::printable::picture(c).is_some() || c.is_control() => {
                out.push('\u{fffd}');
            }
            c => out.push(c),
        }
    }
    out
}
