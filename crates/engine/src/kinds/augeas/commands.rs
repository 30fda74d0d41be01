//! Reads the commands of `changes` and `onlyif`, with the rules for quotes and contexts of Puppet's
//! type.

/// A command with its arguments. Relative paths have got their context.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Command {
    /// Its name as augtool spells it.
    pub(super) verb: &'static str,
    /// Its arguments.
    pub(super) arguments: Vec<String>,
}

/// The type of an argument.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Argument {
    Path,
    Text,
}

/// The commands that change the tree: the declared name, the name in augtool, the arguments.
const COMMANDS: &[(&str, &str, &[Argument])] = {
    use Argument::{Path, Text};
    &[
        ("set", "set", &[Path, Text]),
        ("setm", "setm", &[Path, Text, Text]),
        ("rm", "rm", &[Path]),
        ("remove", "rm", &[Path]),
        ("clear", "clear", &[Path]),
        ("clearm", "clearm", &[Path, Text]),
        ("touch", "touch", &[Path]),
        ("mv", "mv", &[Path, Path]),
        ("move", "mv", &[Path, Path]),
        ("rename", "rename", &[Path, Text]),
        ("insert", "ins", &[Text, Text, Path]),
        ("ins", "ins", &[Text, Text, Path]),
        ("defvar", "defvar", &[Text, Path]),
        ("defnode", "defnode", &[Text, Path, Text]),
    ]
};

/// Reads one command of `changes`; `None` if the line is blank.
///
/// # Errors
/// When it is no command, or lacks an argument.
pub(super) fn command(line: &str, context: &str) -> Result<Option<Command>, String> {
    let line = line.trim();
    if line.is_empty() {
        return Ok(None);
    }
    let mut scanner = Scanner::new(line);
    let word = scanner.word();
    let Some((name, verb, formals)) = COMMANDS.iter().find(|(name, ..)| *name == word) else {
        return Err(format!("Unknown command {word}"));
    };
    let mut arguments = Vec::new();
    for (at, formal) in formals.iter().enumerate() {
        let argument = match formal {
            Argument::Path => scanner.path(context)?.ok_or("path"),
            Argument::Text => scanner.text().ok_or("string"),
        };
        let number = at + 1;
        arguments
            .push(argument.map_err(|ty| format!("missing {ty} argument {number} for {name}"))?);
    }
    if *verb == "ins" && !["before", "after"].contains(&arguments[1].as_str()) {
        return Err(format!("Invalid value '{}' for where param", arguments[1]));
    }
    if let Some(argument) = arguments.iter().find(|argument| !can_be_sent(argument)) {
        return Err(format!("{argument:?} has a control character"));
    }
    Ok(Some(Command { verb, arguments }))
}

impl Command {
    /// Whether it reads and changes nothing but nodes of files, so that the process is afterwards as
    /// good as new.
    pub(super) fn is_about_files(&self) -> bool {
        let formals = COMMANDS.iter().find(|(_, verb, _)| *verb == self.verb);
        let formals = formals.map_or(&[][..], |(.., formals)| formals);
        !self.verb.starts_with("def")
            && self.arguments.iter().zip(formals).all(|(argument, formal)| match formal {
                Argument::Path => is_about_files(argument),
                Argument::Text => !leaves_its_tree(argument),
            })
    }
}

/// Whether an expression finds only nodes of files.
pub(super) fn is_about_files(path: &str) -> bool {
    path.starts_with("/files/") && !leaves_its_tree(path) && !path.contains("/augeas")
}

/// Whether an expression may lead to nodes above its beginning, or to variables.
fn leaves_its_tree(expression: &str) -> bool {
    ["..", "::", "$"].iter().any(|part| expression.contains(part))
}

/// Whether augtool reads an argument as it is: it takes other control characters for the keys of an
/// editor.
pub(super) fn can_be_sent(argument: &str) -> bool {
    argument.chars().all(|c| !c.is_control() || matches!(c, '\t' | '\n'))
}

/// Reads words, paths and texts from a line.
pub(super) struct Scanner<'a> {
    rest: &'a str,
}

impl<'a> Scanner<'a> {
    /// Starts at the beginning of a line.
    pub(super) fn new(line: &'a str) -> Self {
        Self { rest: line }
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    /// The name of a command or of a test; empty if there is none.
    pub(super) fn word(&mut self) -> &'a str {
        for operator in ["==", "!="] {
            if self.rest.starts_with(operator) {
                return self.take(operator.len());
            }
        }
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len());
        self.take(end)
    }

    /// The first of these words that follows.
    pub(super) fn one_of(&mut self, words: &[&'static str]) -> Option<&'static str> {
        self.skip_blanks();
        let found = *words.iter().find(|word| self.rest.starts_with(**word))?;
        self.take(found.len());
        Some(found)
    }

    /// The number that follows; 0 if there is none.
    pub(super) fn number(&mut self) -> usize {
        self.skip_blanks();
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        self.take(end).parse().unwrap_or(0)
    }

    /// All that is left.
    pub(super) fn all(&mut self) -> &'a str {
        self.skip_blanks();
        self.take(self.rest.len())
    }

    /// A text: in quotes, or up to a blank; `None` at the end of the line.
    pub(super) fn text(&mut self) -> Option<String> {
        self.skip_blanks();
        let quote = self.rest.chars().next()?;
        if !matches!(quote, '\'' | '"') {
            let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
            return Some(self.take(end).to_string());
        }
        self.take(1);
        let mut text = String::new();
        let mut chars = self.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            if c == quote {
                self.rest = &self.rest[at + 1..];
                return Some(text);
            }
            text.push(c);
            if c == '\\' {
                // Augeas needs to see the other escapes.
                match chars.next() {
                    Some((_, next)) if next == quote => {
                        text.pop();
                        text.push(next);
                    }
                    Some((_, next)) => text.push(next),
                    None => {}
                }
            }
        }
        self.rest = "";
        Some(text)
    }

    /// A path, which ends at a blank outside of brackets and quotes; `None` if it is empty. A
    /// relative one gets the context.
    ///
    /// # Errors
    /// When its brackets do not match, or augtool cannot read it.
    pub(super) fn path(&mut self, context: &str) -> Result<Option<String>, String> {
        self.skip_blanks();
        let length = path_length(self.rest)?;
        let path = self.take(length);
        let path = if path.starts_with(['\'', '"']) {
            let mut inner = path.chars();
            inner.next();
            inner.next_back();
            inner.as_str()
        } else {
            path
        };
        let path = path.strip_suffix('/').unwrap_or(path);
        if path.is_empty() {
            return Ok(None);
        }
        let path = if path.starts_with(['$', '/']) || context.is_empty() {
            path.to_string()
        } else {
            format!("{}/{path}", context.strip_suffix('/').unwrap_or(context))
        };
        // The library refuses such a path, but augtool cuts it.
        if path.ends_with(|c: char| c == '/' || c.is_whitespace()) {
            return Err(format!("Invalid path expression '{path}'"));
        }
        Ok(Some(path))
    }
}

/// The length of the path at the beginning of a text.
fn path_length(text: &str) -> Result<usize, String> {
    let mut chars = text.char_indices().peekable();
    let (mut brackets, mut single, mut double) = (0_usize, false, false);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next_if(|(_, next)| *next != '\n');
            }
            '[' => brackets += 1,
            ']' => brackets = brackets.checked_sub(1).ok_or("unmatched [")?,
            '\'' => single = !single,
            '"' => double = !double,
            c if c.is_whitespace() && brackets == 0 && !single && !double => return Ok(at),
            _ => {}
        }
    }
    Ok(text.len())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn read(line: &str) -> String {
        match command(line, "/files/etc/hosts") {
            Ok(Some(command)) => format!("{} {:?}", command.verb, command.arguments),
            Ok(None) => "nothing".to_string(),
            Err(error) => error,
        }
    }

    #[test]
    fn paths_and_texts() {
        for (line, wanted) in [
            ("set 1/ipaddr 1.2.3.4", r#"set ["/files/etc/hosts/1/ipaddr", "1.2.3.4"]"#),
            ("  set  /a/b/   'x y' z", r#"set ["/a/b", "x y"]"#),
            (r#"set $v/c "a\"b\ c""#, r#"set ["$v/c", "a\"b\\ c"]"#),
            ("rm *[ipaddr = '1 2']", r#"rm ["/files/etc/hosts/*[ipaddr = '1 2']"]"#),
            ("rm '/a b'", r#"rm ["/a b"]"#),
            (r"rm a\ b/c", r#"rm ["/files/etc/hosts/a\\ b/c"]"#),
            ("insert 01 before 1", r#"ins ["01", "before", "/files/etc/hosts/1"]"#),
            ("move a b", r#"mv ["/files/etc/hosts/a", "/files/etc/hosts/b"]"#),
            ("set a ''", r#"set ["/files/etc/hosts/a", ""]"#),
            ("set a 'open", r#"set ["/files/etc/hosts/a", "open"]"#),
            ("defnode n $v x", r#"defnode ["n", "$v", "x"]"#),
            ("   ", "nothing"),
            ("set a", "missing string argument 2 for set"),
            ("rm", "missing path argument 1 for rm"),
            ("rm /", "missing path argument 1 for rm"),
            ("rm a//", "Invalid path expression '/files/etc/hosts/a/'"),
            ("rm a]", "unmatched ["),
            ("ins a beside b", "Invalid value 'beside' for where param"),
            ("save", "Unknown command save"),
            ("- x", "Unknown command "),
            ("set a '\u{1}'", "\"\\u{1}\" has a control character"),
        ] {
            assert_eq!(read(line), wanted, "{line}");
        }
        assert_eq!(command("rm a", "").unwrap().unwrap().arguments, ["a"]);
    }
}
