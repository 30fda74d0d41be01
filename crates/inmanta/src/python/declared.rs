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

/// A plugin of which only the name is known. It accepts all arguments.
struct DeclaredPlugin(Signature);

impl Plugin for DeclaredPlugin {
    fn signature(&self) -> &Signature {
        &self.0
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
        for name in names(&text) {
            let mut signature = Signature::new(&format!("{namespace}::{name}"));
            signature.rest = Some(Param::new("args", TypeExpr::Any));
            signature.keywords = Some(Param::new("kwargs", TypeExpr::Any));
            signature.file = path.display().to_string().into();
            out.push(Rc::new(DeclaredPlugin(signature)));
        }
    }
    out
}

/// The names of the plugins that a text declares.
fn names(text: &str) -> Vec<&str> {
    let found = PLUGIN.captures_iter(text);
    found.filter_map(|c| c.get(1).or_else(|| c.get(2)).map(|name| name.as_str())).collect()
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
        assert_eq!(names(text), ["one", "second", "third", "four"]);
    }
}
