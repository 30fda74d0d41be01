//! Data types of modules in Ruby, in `lib/puppet/datatypes`.
//!
//! Such a file has the attributes of a type as text in the Puppet language, so the file is read as
//! the definition of an alias. Everything else in it becomes blanks, so that positions stay
//! correct. Methods and derived attributes in Ruby are not read.

/// The definition in a file; `None` if it cannot be read.
pub(super) fn as_definition(text: &str) -> Option<String> {
    let call = text.find("create_type(")?;
    let name = quoted(text, call + "create_type(".len())?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    if name.is_empty() || !text[name.clone()].chars().all(is_name) {
        return None;
    }
    let word = "interface";
    let at = name.end + text[name.end..].find(word)? + word.len();
    let at = at + text[at..].len() - text[at..].trim_start_matches([' ', '(']).len();
    let body = match text[at..].strip_prefix("<<") {
        Some(rest) => heredoc(text, text.len() - rest.len())?,
        None => quoted(text, at)?,
    };
    let blank = |b: u8| if b == b'\n' { b } else { b' ' };
    let mut out: Vec<u8> = text.bytes().map(blank).collect();
    let head = format!("type {}={{", &text[name]);
    // The head is shorter than the call that it replaces.
    out.get_mut(call..call + head.len())?.copy_from_slice(head.as_bytes());
    out.get_mut(body.clone())?.copy_from_slice(&text.as_bytes()[body.clone()]);
    *out.get_mut(body.end)? = b'}';
    String::from_utf8(out).ok()
}

/// The range between the quotes that begin here.
fn quoted(text: &str, at: usize) -> Option<std::ops::Range<usize>> {
    let quote = text[at..].chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let length = text[at + 1..].find(quote)?;
    Some(at + 1..at + 1 + length)
}

/// The lines of a heredoc whose mark begins here.
fn heredoc(text: &str, at: usize) -> Option<std::ops::Range<usize>> {
    let line = text[at..].find('\n')? + at;
    let mark = text[at..line].trim_start_matches(['-', '~', '\'', '"']);
    let end = mark.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(mark.len());
    let mark = &mark[..end];
    let start = line + 1;
    let mut end = start;
    for line in text[start..].split_inclusive('\n') {
        if line.trim() == mark && !mark.is_empty() {
            return Some(start..end);
        }
        end += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::as_definition;

    #[test]
    fn a_file_is_read_as_a_definition() {
        let text = "# A place.\nPuppet::DataTypes.create_type('M::Place') do\n  interface <<-PUPPET\n    \
                    attributes => { x => Integer }\n  PUPPET\n  implementation do\n    def y; end\n  end\nend\n";
        let read = as_definition(text).unwrap();
        assert_eq!(read.len(), text.len());
        let words: Vec<&str> = read.split_whitespace().collect();
        assert_eq!(words.join(" "), "type M::Place={ attributes => { x => Integer } }");
        assert_eq!(read.lines().nth(3), text.lines().nth(3));
        let quoted = "Puppet::DataTypes.create_type(\"A\") { interface 'attributes => {}' }";
        let read = as_definition(quoted).unwrap();
        assert!(read.trim().starts_with("type A={"), "{read}");
        assert!(read.trim().ends_with("attributes => {}}"), "{read}");
    }

    #[test]
    fn files_without_a_definition_are_left_alone() {
        for text in [
            "",
            "create_type(",
            "create_type('A'",
            "create_type('') interface ''",
            "create_type('A') interface <<",
            "create_type('A') interface <<X\nabc",
            "create_type('é') interface ''",
            "create_type('A') interface <<-\n\n",
        ] {
            assert_eq!(as_definition(text), None, "{text}");
        }
    }
}
