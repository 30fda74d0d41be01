//! ERB templates, and the entries of facts that they read.

use ordain_ruby::{SyntaxError, Template, Trim};
use ordain_source::inputs::PART;

/// The variables of the node whose entries are told apart.
const HASHES: [&str; 2] = ["facts", "trusted"];

/// An ERB template.
#[derive(Debug)]
pub struct ErbTemplate {
    /// The template, or the error of its parser.
    pub parsed: Result<Template, SyntaxError>,
    /// For each of [`HASHES`] the paths of all entries that the template reads, if its text shows
    /// them.
    entries: [Option<Vec<String>>; HASHES.len()],
}

impl ErbTemplate {
    /// Parses a text.
    pub(super) fn parse(text: &str) -> Self {
        let parsed = Template::parse(text, Trim::Explicit);
        Self { parsed, entries: HASHES.map(|name| entries(text, name)) }
    }

    /// A template that does not parse.
    pub(super) fn broken(error: SyntaxError) -> Self {
        Self { parsed: Err(error), entries: Default::default() }
    }

    /// The paths of all entries of a variable that the template reads, if its text shows them.
    pub(crate) fn entries_of(&self, name: &str) -> Option<&[String]> {
        let at = HASHES.iter().position(|known| *known == name)?;
        self.entries[at].as_deref()
    }
}

/// Words by which code can read a variable without its name.
const INDIRECT: [&str; 5] = ["instance_variable", "binding", "eval", "send", "method"];

/// The paths of the entries of a variable that a text reads. `None` if it may read others: the name
/// must occur only as `@name['key']…` or `scope['name']['key']…`, and the scope only with literals.
fn entries(text: &str, name: &str) -> Option<Vec<String>> {
    if !text.contains(name) || INDIRECT.iter().any(|word| text.contains(word)) {
        return None;
    }
    let is_known = |after: &str| {
        let is_call = [".call_function(", ".function_"].iter().any(|call| after.starts_with(call));
        is_call || scope_key(after).is_some()
    };
    if !words(text, "scope").all(|(_, after)| is_known(after)) {
        return None;
    }
    let mut paths = Vec::new();
    for (before, after) in words(text, name) {
        let rest = if before.ends_with('@') && !before.ends_with("@@") {
            after
        } else {
            // Such as `scope['::facts']`.
            let outer = before.strip_suffix("::").unwrap_or(before);
            let outer = outer.strip_suffix(['\'', '"'])?;
            let outer =
                ["scope[", "scope.lookupvar("].iter().find_map(|o| outer.strip_suffix(o))?;
            let (key, rest) = scope_key(&text[outer.len() + "scope".len()..])?;
            (key.trim_start_matches("::") == name).then_some(rest)?
        };
        let mut path = name.to_owned();
        let mut rest = rest;
        while let Some((key, after)) = bracketed(rest, '[', ']') {
            path.push(PART);
            path.push_str(key);
            rest = after;
        }
        (path.len() > name.len()).then_some(())?;
        paths.push(path);
    }
    paths.sort();
    paths.dedup();
    Some(paths)
}

/// The occurrences of a whole word, with the texts before and after them.
fn words<'t>(text: &'t str, word: &str) -> impl Iterator<Item = (&'t str, &'t str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).filter_map(move |(at, word)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        (!before.ends_with(is_part) && !after.starts_with(is_part)).then_some((before, after))
    })
}

/// The literal by which a scope is asked, and the text after it.
fn scope_key(after: &str) -> Option<(&str, &str)> {
    match after.strip_prefix(".lookupvar") {
        Some(after) => bracketed(after, '(', ')'),
        None => bracketed(after, '[', ']'),
    }
}

/// A literal text in brackets, and the text after it.
fn bracketed(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let text = text.strip_prefix(open)?;
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let (key, rest) = text[1..].split_once(quote)?;
    let rest = rest.strip_prefix(close)?;
    (!key.contains(['\\', '#', PART])).then_some((key, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(text: &str) -> Option<String> {
        entries(text, "facts").map(|paths| paths.join(" ").replace(PART, "."))
    }

    #[test]
    fn a_text_that_shows_all_entries() {
        let text =
            "<%= @facts['os']['family'] %> <% @facts[\"disks\"].each do |x| %>artifacts<% end %>
                    <%= scope['facts']['os']['name'] + scope.lookupvar('::facts')['a'] %>
                    <%= scope['web::port'] %>";
        let wanted = "facts.a facts.disks facts.os.family facts.os.name";
        assert_eq!(facts(text).as_deref(), Some(wanted));
    }

    #[test]
    fn a_text_that_may_read_others() {
        for text in [
            "<%= @facts %>",
            "<%= @facts[key] %>",
            "<%= @facts['a'] %> <%= @facts.keys %>",
            "<%= facts['a'] %>",
            "<%= @facts['a'] %><%= scope[name] %>",
            "<%= @facts['a'] %><% s = scope %>",
            "<%= @facts['a'] %><%= scope['fac' + 'ts'] %>",
            "<%= @facts['a'] %><%= instance_variable_get('@f') %>",
            "<%= scope['facts'] %>",
            "<%= @facts['#{a}'] %>",
            "<%= %w(facts) %>",
            "nothing",
        ] {
            assert_eq!(facts(text), None, "{text}");
        }
    }
}
