//! Finds the plugins that Python files declare without running them, for `check`.

use std::rc::Rc;
use std::sync::LazyLock;

use ordain_source::World;
use regex::Regex;

use super::module::Module;
use crate::model::plugin::{Arguments, Context, Param, Plugin, Signature, Stop};
use crate::types::TypeExpr;
use crate::value::Value;

/// The decorator of a plugin with its optional name argument, further decorators, and the name of
/// the function.
#[expect(clippy::expect_used, reason = "the pattern is constant")]
static PLUGIN: LazyLock<Regex> = LazyLock::new(|| {
    let text = concat!(
        r"(?m)^[ \t]*@(?:[\w.]+\.)?plugin\b",
        r#"(?:[ \t]*\(\s*(?:name\s*=\s*)?(?:["']([\w]+)["'])?)?"#,
        r"(?s:.*?)^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)",
    );
    Regex::new(text).expect("the pattern is fixed")
});

/// A plugin that is not run. Its parameters are those of its definition, as far as that can be read;
/// otherwise it accepts all arguments.
struct DeclaredPlugin(Signature);

impl Plugin for DeclaredPlugin {
    fn signature(&self) -> &Signature {
        &self.0
    }

    fn is_callable(&self) -> bool {
        false
    }

    fn call(&self, _: &mut dyn Context, _: &Arguments) -> Result<Value, Stop> {
        Err(Stop::explicit(format!("{} is not run by a check", self.0.name)))
    }
}

/// The plugins of a module.
pub(super) fn plugins(world: &dyn World, module: &Module) -> Vec<Rc<dyn Plugin>> {
    let mut out: Vec<Rc<dyn Plugin>> = Vec::new();
    for (import, path) in module.files(world) {
        let Ok(text) = world.read(&path) else { continue };
        let text = String::from_utf8_lossy(&text);
        let namespace = import.split('.').skip(1).collect::<Vec<_>>().join("::");
        for (name, rest) in definitions(&text) {
            let mut signature = Signature::new(&format!("{namespace}::{name}"));
            if parameters(rest, &mut signature).is_none() {
                signature.params.clear();
                signature.rest = Some(Param::new("args", TypeExpr::Any));
                signature.keywords = Some(Param::new("kwargs", TypeExpr::Any));
            }
            signature.file = path.display().to_string().into();
            out.push(Rc::new(DeclaredPlugin(signature)));
        }
    }
    out
}

/// The names of the plugins that a text declares, with the text behind the names of their functions.
fn definitions(text: &str) -> Vec<(&str, &str)> {
    let found = PLUGIN.captures_iter(text);
    let one = |c: regex::Captures<'_>| {
        let function = c.get(2)?;
        let name = c.get(1).map_or(function.range(), |name| name.range());
        Some((text.get(name)?, text.get(function.end()..)?))
    };
    found.filter_map(one).collect()
}

/// Adds the parameters of a function to a signature; the text begins behind its name. `None` if they
/// cannot be read.
fn parameters(text: &str, signature: &mut Signature) -> Option<()> {
    let mut keyword_only = false;
    for (n, text) in split_parameters(text)?.into_iter().enumerate() {
        let (text, default) = match outside_of_texts(text, '=') {
            Some(at) => (&text[..at], Some(&text[at + 1..])),
            None => (text, None),
        };
        let (name, annotation) = text.split_once(':').unwrap_or((text, ""));
        let (name, annotation) = (name.trim(), annotation.trim());
        if n == 0 && annotation.trim_matches(['"', '\'']).ends_with("Context") {
            signature.has_context = true;
            continue;
        }
        match name {
            "*" => keyword_only = true,
            "/" => return None,
            _ => {
                let plain = name.trim_start_matches('*');
                let is_name = |c: char| c.is_alphanumeric() || c == '_';
                if plain.is_empty() || !plain.chars().all(is_name) {
                    return None;
                }
                let mut param = Param::new(plain, type_of(annotation));
                param.has_default = default.is_some();
                param.keyword_only = keyword_only;
                match name.len() - plain.len() {
                    0 => signature.params.push(param),
                    1 => {
                        signature.rest = Some(Param::new(plain, TypeExpr::Any));
                        keyword_only = true;
                    }
                    _ => signature.keywords = Some(Param::new(plain, TypeExpr::Any)),
                }
            }
        }
    }
    Some(())
}

/// The type of an annotation, if it is one of the simple types. Others may be names that mean
/// something else in Python, or references.
fn type_of(annotation: &str) -> TypeExpr {
    let quoted = annotation.trim_matches(['"', '\'']);
    match (annotation, quoted) {
        ("str", _) => TypeExpr::model("string"),
        ("int" | "bool", _) => TypeExpr::model(annotation),
        (_, "string" | "int" | "bool" | "string[]" | "int[]") if quoted != annotation => {
            TypeExpr::model(quoted)
        }
        _ => TypeExpr::Any,
    }
}

/// The parameters between the brackets at the beginning of a text.
fn split_parameters(text: &str) -> Option<Vec<&str>> {
    let text = text.trim_start().strip_prefix('(')?;
    let (mut out, mut start, mut depth) = (Vec::new(), 0, 0);
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (_, '#' | '\\') => return None,
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ',') if depth == 0 => {
                out.push(text[start..at].trim());
                start = at + 1;
                if c == ')' {
                    out.retain(|text| !text.is_empty());
                    return Some(out);
                }
            }
            (None, ')' | ']' | '}') => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The position of a character outside of texts and brackets.
fn outside_of_texts(text: &str, wanted: char) -> Option<usize> {
    let mut quote = None;
    text.char_indices().find_map(|(at, c)| {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, _) if c == wanted => return Some(at),
            _ => {}
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plugins_are_found_by_their_decorators() {
        let text = "\
from inmanta.plugins import plugin, Context
import inmanta.plugins

def helper(): pass

@plugin
def one(a: \"string\") -> \"string\":
    return a

@plugin(\"second\")
def two(): pass

@inmanta.plugins.plugin(
    name='third',
    allow_unknown=True,
)
@cached
async def three(*args): pass

@plugin()
def four(): pass

@plugins
def five(): pass
";
        let names: Vec<&str> = definitions(text).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["one", "second", "third", "four"]);
    }

    #[test]
    fn parameters_are_read_from_definitions() {
        let read = |text: &str| {
            let mut signature = Signature::new("m::f");
            parameters(text, &mut signature)?;
            let params = signature.params.iter();
            let shown = params.map(|p| format!("{} {:?} {}", p.name, p.ty, p.has_default));
            Some((shown.collect::<Vec<_>>().join(", "), signature.rest.is_some()))
        };
        let expected = "a Named(\"string\") false, b Any true";
        let text = "(ctx: Context, a: \"string\", b: list[str, int] = (1, '=')) -> None: pass";
        assert_eq!(read(text), Some((expected.to_owned(), false)));
        assert_eq!(read("(*a, b: int = 1)"), Some(("b Named(\"int\") true".to_owned(), true)));
        assert_eq!(read("()"), Some((String::new(), false)));
        assert_eq!(read("(a, # first\n b)"), None, "comments are not read");
        assert_eq!(read("(a"), None);
    }
}
