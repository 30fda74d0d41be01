//! The signatures of functions in Ruby, read from their files.
//!
//! A file with `Puppet::Functions.create_function` has blocks `dispatch :name do … end`, each with
//! the types of its parameters as texts. A function of the older interface declares at most a
//! number of arguments. If a file declares them in another way, the signature is unknown.

/// The signature of a function in Ruby.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RubySignature {
    /// One of several lists of types.
    Dispatches(Vec<RubyDispatch>),
    /// The number of arguments; if negative, at least `-n - 1`.
    Arity(i32),
}

/// One list of arguments.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RubyDispatch {
    /// The types, as written.
    pub params: Vec<RubyParam>,
    /// Whether the last one takes all the rest.
    pub rest: bool,
    /// The type of its block, if it takes one.
    pub block: Option<&'static str>,
}

/// One argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RubyParam {
    /// Its type, as written.
    pub kind: String,
    /// Whether it may be left out.
    pub optional: bool,
}

impl RubySignature {
    /// Reads the file of a function; `None` if its signature cannot be read.
    pub fn read(text: &str) -> Option<Self> {
        if text.contains("create_function") {
            return dispatches(text).filter(|all| !all.is_empty()).map(Self::Dispatches);
        }
        let (_, rest) = text.split_once("newfunction")?;
        let head = rest.split(['|', '\n']).next()?;
        let (_, rest) = head.split_once("arity")?;
        let number = rest.trim_start_matches([':', '=', '>', ' ']);
        let end = number.find(|c: char| c != '-' && !c.is_ascii_digit()).unwrap_or(number.len());
        number[..end].parse().ok().map(Self::Arity)
    }
}

fn dispatches(text: &str) -> Option<Vec<RubyDispatch>> {
    let mut out = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = next_line(rest);
        rest = after;
        let code = line.trim();
        if word_of(code) == "dispatch" {
            if !code.ends_with(" do") {
                return None;
            }
            let (dispatch, after) = dispatch(rest)?;
            out.push(dispatch);
            rest = after;
        }
    }
    Some(out)
}

fn next_line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

fn word_of(code: &str) -> &str {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    &code[..code.find(|c| !is_word(c)).unwrap_or(code.len())]
}

/// Reads the lines of a block up to its end.
fn dispatch(mut rest: &str) -> Option<(RubyDispatch, &str)> {
    let mut out = RubyDispatch::default();
    loop {
        let (line, after) = next_line(rest);
        let code = line.trim_start();
        let word = word_of(code);
        match word {
            "end" => return Some((out, after)),
            "" if code.is_empty() || code.starts_with('#') => rest = after,
            // Parameters that are not arguments of the call.
            "scope_param" | "return_type" | "compiler_param" | "cache_param" => rest = after,
            "block_param" | "required_block_param" => {
                out.block = Some("Callable");
                rest = after;
            }
            "optional_block_param" => {
                out.block = Some("Optional[Callable]");
                rest = after;
            }
            "param"
            | "required_param"
            | "optional_param"
            | "repeated_param"
            | "optional_repeated_param"
            | "required_repeated_param" => {
                let from = rest.len() - rest.trim_start().len() + word.len();
                let (kind, behind) = quoted(&rest[from..])?;
                out.rest |= word.contains("repeated");
                let optional =
                    matches!(word, "optional_param" | "repeated_param" | "optional_repeated_param");
                out.params.push(RubyParam { kind: kind.to_owned(), optional });
                rest = next_line(behind).1;
            }
            _ => return None,
        }
        if rest.is_empty() {
            return None;
        }
    }
}

/// The next text in quotes, which may have several lines, and the rest.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches([' ', '(']);
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let (kind, rest) = text[1..].split_once(quote)?;
    (!kind.contains(['\\', '#'])).then_some((kind, rest))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_blocks_of_a_function() {
        let text = "\
Puppet::Functions.create_function(:'pond::depth') do
  # ParamSource deep.
  dispatch :depth do
    scope_param
    param 'String', :name
    optional_param 'Struct[{
      unit => Enum[m, ft],
    }]', :options
    repeated_param \"Integer\", :more
    optional_block_param
    return_type 'Float'
  end

  dispatch(:other) do
    required_repeated_param 'Any', :all
  end

  def depth(scope, name)
  end
end
";
        let Some(RubySignature::Dispatches(all)) = RubySignature::read(text) else { panic!() };
        let [first, second] = &all[..] else { panic!("{all:?}") };
        let kinds: Vec<_> = first.params.iter().map(|p| (p.kind.as_str(), p.optional)).collect();
        assert_eq!((kinds[0], kinds[2]), (("String", false), ("Integer", true)));
        assert!(kinds[1].0.contains("Enum[m, ft]") && kinds[1].1);
        assert!(first.rest && first.block == Some("Optional[Callable]"));
        assert!(second.rest && !second.params[0].optional && second.block.is_none());
    }

    #[test]
    fn unusual_code_has_no_signature() {
        let one =
            |line: &str| format!("create_function(:a) do\n  dispatch :a do\n{line}\n  end\nend\n");
        assert!(RubySignature::read(&one("param 'A', :a")).is_some());
        for line in ["param TYPE, :a", "param \"#{x}\", :a", "add(:a)", "param 'A"] {
            assert_eq!(RubySignature::read(&one(line)), None, "{line}");
        }
        assert_eq!(RubySignature::read("create_function(:a) do\n def a; end\nend"), None);
    }

    #[test]
    fn how_many_arguments_an_older_one_takes() {
        let read = RubySignature::read;
        let text = "newfunction(:a, :type => :rvalue, :arity => -2) do |args|\n";
        assert_eq!(read(text), Some(RubySignature::Arity(-2)));
        let text = "newfunction(:a, type: :rvalue, arity: 1) do |arguments|\n";
        assert_eq!(read(text), Some(RubySignature::Arity(1)));
        assert_eq!(read("newfunction(:a) do |args|\n arity = 3\n"), None);
    }
}
