//! Converts ERB templates to Ruby source. Text between tags becomes marks that the lexer knows.
//!
//! The source has the same lines as the template. Its pieces are joined as in Ruby's ERB, so that a
//! comment in a tag also hides the rest of its line.

/// Marks the number of a text in the source.
pub(crate) const TEXT_MARK: char = '\u{1}';
/// Marks an expression in parentheses whose value is printed.
pub(crate) const EMIT_MARK: char = '\u{2}';

/// Which blanks and line ends next to tags are removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Trim {
    /// None, ERB's default.
    None,
    /// `-`: blanks before `<%-` and the line end after `-%>`.
    #[default]
    Explicit,
    /// `>`: the line end after `%>`.
    After,
    /// `<>`: the line end of lines that begin with `<%` and end in `%>`.
    Lines,
}

/// The source of a template and the texts for its marks.
pub(crate) struct Compiled {
    pub source: String,
    pub texts: Vec<String>,
}

enum Token<'t> {
    Text(&'t str),
    /// `<%`, `<%=` or `<%#`
    Open(&'static str),
    Close,
    LineEnd,
}

struct Compiler {
    out: Compiled,
    line: Vec<String>,
    content: String,
    tag: Option<&'static str>,
}

/// Turns a template into source text.
pub(crate) fn compile(template: &str, trim: Trim) -> Compiled {
    let out = Compiled { source: String::with_capacity(template.len()), texts: Vec::new() };
    let mut compiler = Compiler { out, line: Vec::new(), content: String::new(), tag: None };
    match trim {
        Trim::None | Trim::Explicit => explicit(&mut compiler, template, trim == Trim::Explicit),
        Trim::After | Trim::Lines => by_line(&mut compiler, template, trim == Trim::Lines),
    }
    compiler.put_text();
    let rest = compiler.line.join("; ");
    compiler.out.source.push_str(&rest);
    compiler.out
}

impl Compiler {
    fn token(&mut self, token: Token<'_>) {
        match (self.tag, token) {
            (_, Token::Text(text)) => self.content.push_str(text),
            (None, Token::Open(tag)) => {
                self.put_text();
                self.tag = Some(tag);
            }
            (None, Token::LineEnd) => self.line_end(),
            (None, Token::Close) => self.content.push_str("%>"),
            (Some(_), Token::Open(tag)) => self.content.push_str(tag),
            (Some(_), Token::LineEnd) => self.content.push('\n'),
            (Some(tag), Token::Close) => self.close(tag),
        }
    }

    fn close(&mut self, tag: &str) {
        let content = std::mem::take(&mut self.content);
        self.tag = None;
        match tag {
            "<%" => match content.strip_suffix('\n') {
                Some(code) => {
                    self.line.push(code.into());
                    self.line_end();
                }
                None => self.line.push(content),
            },
            "<%=" => self.line.push(format!("{EMIT_MARK}(({content}))")),
            _ => {}
        }
    }

    fn put_text(&mut self) {
        if self.content.is_empty() {
            return;
        }
        let text = std::mem::take(&mut self.content);
        let lines = text.bytes().filter(|b| *b == b'\n').count();
        let mark = format!("{TEXT_MARK}{}{}", self.out.texts.len(), "\n".repeat(lines));
        self.line.push(mark);
        self.out.texts.push(text);
    }

    fn line_end(&mut self) {
        let line = std::mem::take(&mut self.line).join("; ");
        self.out.source.push_str(&line);
        self.out.source.push('\n');
    }
}

/// Finds a tag at the start of a text. Also returns its length. `<%%` is no tag.
fn tag(text: &str) -> (&'static str, usize) {
    match text.as_bytes().get(2) {
        Some(b'=') => ("<%=", 3),
        Some(b'#') => ("<%#", 3),
        Some(b'%') => ("<%%", 3),
        _ => ("<%", 2),
    }
}

/// The modes without and with `<%-` and `-%>`.
fn explicit(compiler: &mut Compiler, template: &str, has_minus: bool) {
    let mut rest = template;
    while !rest.is_empty() {
        if compiler.tag.is_none() {
            let Some(at) = rest.find("<%") else { break };
            let is_minus = has_minus && rest[at + 2..].starts_with('-');
            let (name, length) = if is_minus { ("<%", 3) } else { tag(&rest[at..]) };
            let mut text = &rest[..at];
            if is_minus {
                let blank = text.trim_end_matches([' ', '\t']);
                if blank.is_empty() || blank.ends_with('\n') {
                    text = blank;
                }
            }
            compiler.token(Token::Text(text));
            match name {
                "<%%" => compiler.token(Token::Text("<%")),
                _ => compiler.token(Token::Open(name)),
            }
            rest = &rest[at + length..];
            continue;
        }
        let Some(at) = rest.find("%>") else { break };
        let before = &rest[..at];
        rest = &rest[at + 2..];
        if let Some(code) = before.strip_suffix('%') {
            compiler.token(Token::Text(code));
            compiler.token(Token::Text("%>"));
        } else if has_minus && before.ends_with('-') {
            compiler.token(Token::Text(&before[..before.len() - 1]));
            compiler.token(Token::Close);
            let after = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n'));
            if let Some(after) = after {
                rest = after;
                compiler.token(Token::LineEnd);
            } else if rest.is_empty() {
                compiler.token(Token::LineEnd);
            }
        } else {
            compiler.token(Token::Text(before));
            compiler.token(Token::Close);
        }
    }
    compiler.token(Token::Text(rest));
    if compiler.tag.is_some() {
        // Ruby's ERB prints the content of a tag that is not closed.
        compiler.tag = None;
    }
}

/// The trim modes that depend on the ends of lines.
fn by_line(compiler: &mut Compiler, template: &str, needs_tag_first: bool) {
    for line in template.split_inclusive('\n') {
        let begins_with_tag = line.starts_with("<%") && !line.starts_with("<%%");
        let mut rest = line;
        while !rest.is_empty() {
            let tags = [rest.find("<%"), rest.find("%>")];
            let Some(at) = tags.into_iter().flatten().min() else { break };
            compiler.token(Token::Text(&rest[..at]));
            let (here, length) = match &rest[at..] {
                here if here.starts_with("<%") => (here, tag(here).1),
                here => (here, 2),
            };
            rest = &here[length..];
            if here.starts_with("<%") {
                match tag(here).0 {
                    "<%%" => compiler.token(Token::Text("<%")),
                    name => compiler.token(Token::Open(name)),
                }
                continue;
            }
            if at > 0 && compiler.tag.is_some() && compiler.content.ends_with('%') {
                compiler.content.push('>');
                continue;
            }
            compiler.token(Token::Close);
            if matches!(rest, "\n" | "\r\n") {
                if needs_tag_first && !begins_with_tag {
                    compiler.token(Token::Text("\n"));
                } else {
                    compiler.token(Token::LineEnd);
                }
                rest = "";
            }
        }
        compiler.token(Token::Text(rest));
        if compiler.tag.is_none() {
            compiler.put_text();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(template: &str, trim: Trim) -> (String, Vec<String>) {
        let compiled = compile(template, trim);
        (compiled.source, compiled.texts)
    }

    #[test]
    fn minus_tags_take_blanks_and_line_ends() {
        let (source, texts) = source("a\n  <%- x -%>\nb <%%= <%= y %>\n", Trim::Explicit);
        assert_eq!(source, "\u{1}0\n;  x \n\u{1}1; \u{2}(( y )); \u{1}2\n");
        assert_eq!(texts, ["a\n", "b <%= ", "\n"]);
    }

    #[test]
    fn lines_of_tags_lose_their_end() {
        let (_, texts) = source("<% x %>\na <% y %>\n", Trim::Lines);
        assert_eq!(texts.concat(), "a \n");
        let (_, texts) = source("<% x %>\na <% y %>\n", Trim::After);
        assert_eq!(texts.concat(), "a ");
    }
}
