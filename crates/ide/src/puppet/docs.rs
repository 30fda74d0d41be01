//! The comments above definitions, and their tags for parameters.

use ordain_puppet::syntax::Program;

/// The comment right above an offset, without its number signs.
pub(crate) fn above(text: &str, offset: u32) -> String {
    let before = text.get(..offset as usize).unwrap_or_default();
    let before = &before[..before.rfind('\n').map_or(0, |at| at + 1)];
    let mut lines: Vec<&str> = Vec::new();
    for line in before.lines().rev() {
        let Some(comment) = line.trim_start().strip_prefix('#') else { break };
        lines.push(comment.strip_prefix(' ').unwrap_or(comment));
    }
    lines.reverse();
    lines.join("\n")
}

/// The text of a comment before its first tag: a summary, if it has one.
pub(crate) fn summary(comment: &str) -> String {
    let summary = comment.lines().find_map(|line| line.trim().strip_prefix("@summary"));
    let before = comment.lines().take_while(|line| !line.trim_start().starts_with('@'));
    let before = before.collect::<Vec<_>>().join("\n");
    match summary {
        Some(summary) if before.trim().is_empty() => summary.trim().to_owned(),
        Some(summary) => format!("{}\n\n{}", summary.trim(), before.trim()),
        None => before.trim().to_owned(),
    }
}

/// The description of a parameter in a comment, from its tag `@param`.
pub(crate) fn parameter(comment: &str, name: &str) -> String {
    let mut lines = comment.lines();
    let first = lines.find_map(|line| {
        let rest = line.trim_start().strip_prefix("@param")?;
        let mut words = rest.split_whitespace().filter(|word| !word.starts_with('['));
        (words.next()? == name).then(|| words.collect::<Vec<_>>().join(" "))
    });
    let Some(first) = first else { return String::new() };
    let more = lines.take_while(|line| line.starts_with(' ') && !line.trim().is_empty());
    let mut out = vec![first];
    out.extend(more.map(|line| line.trim().to_owned()));
    out.join(" ").trim().to_owned()
}

/// The comment above a definition of a program.
pub(crate) fn of(program: &Program, start: u32) -> String {
    above(&program.text, start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_comment() {
        let text = "x\n# @summary A web server\n#\n# @param port\n#   The port\n#   to use\n# @param [String] name Its name\nclass web {}\n";
        let comment = above(text, text.find("class").unwrap_or_default() as u32);
        assert_eq!(summary(&comment), "A web server");
        assert_eq!(parameter(&comment, "port"), "The port to use");
        assert_eq!(parameter(&comment, "name"), "Its name");
        assert_eq!(parameter(&comment, "other"), "");
        assert_eq!(above(text, 0), "");
    }
}
