//! Resource types as `generate types` writes them: `.resource_types/NAME.pp` of an environment.
//!
//! Such a file describes a Ruby type in the Puppet language, so that compiles run no Ruby and
//! environments are isolated. It is data in the form of one call, and it is read without
//! evaluation.

use std::path::Path;
use std::sync::Arc;

use ecow::EcoString;
use ordain_syntax::Idx;

use super::RubyType;
use crate::syntax::{Call, CallForm, Expr, ExprId, Program};
use crate::types::Regexp;
use crate::types::models::layout::TitlePatterns;

/// The type that such a file instantiates.
const MAKER: &str = "Puppet::Resource::ResourceType3";
/// The type of an attribute.
pub const PARAM: &str = "Puppet::Resource::Param";
/// The patterns for any title of a type with one name attribute.
const ANY_TITLE: &[&str] = &["(.*)", "(?m-ix:(.*))"];

/// Reads the tree of such a file.
///
/// # Errors
/// The reason why the file does not define a type of this name, in Puppet's words.
pub(super) fn read(name: &str, file: &Path, program: &Program) -> Result<RubyType, String> {
    let shown = file.display();
    let statements: Vec<ExprId> = match &program[program.body] {
        Expr::Block(list) => program.list(*list).to_vec(),
        _ => vec![program.body],
    };
    let statements: Vec<ExprId> =
        statements.into_iter().filter(|id| !matches!(program[*id], Expr::Nop)).collect();
    if statements.is_empty() {
        return Err(format!(
            "The code loaded from {shown} does not create the resource type '{name}' - it is empty"
        ));
    }
    let Some(args) = statements.iter().find_map(|id| maker(program, *id)) else {
        return Err(format!(
            "The code loaded from {shown} does not create the resource type '{name}' - no call to \
             {MAKER}.new found."
        ));
    };
    if statements.len() > 1 {
        return Err(format!(
            "The code loaded from {shown} must contain only the creation of resource type \
             '{name}' - it has additional logic."
        ));
    }
    let read = filled(program, args)
        .ok_or_else(|| format!("The code loaded from {shown} is no data of a resource type"))?;
    let (actual, found) = read;
    if actual != name {
        return Err(format!(
            "The code loaded from {shown} produced resource type with the wrong name, expected \
             '{name}', actual '{actual}'"
        ));
    }
    if found.namevars.len() > 1 && found.title_patterns.is_none() {
        return Err(
            "you must specify title patterns when there are two or more key attributes".to_owned()
        );
    }
    Ok(RubyType { file: file.to_path_buf(), ..found })
}

/// The arguments of `Puppet::Resource::ResourceType3.new(…)`.
pub fn maker(program: &Program, id: ExprId) -> Option<&[ExprId]> {
    let Expr::Call(call) = &program[id] else { return None };
    let call: &Call = program.call(*call as Idx<Call>);
    let (receiver, args) = program.list(call.args).split_first()?;
    let is_new = matches!(&program[call.callee], Expr::Name(name) if name == "new");
    let is_type = matches!(&program[*receiver], Expr::Ref(name) if name == MAKER);
    (call.form == CallForm::Method && is_new && is_type).then_some(args)
}

/// The name and the type in the arguments; `None` if they have another form.
fn filled(program: &Program, args: &[ExprId]) -> Option<(EcoString, RubyType)> {
    let name = text(program, *args.first()?)?;
    let mut out = RubyType { isomorphic: true, ..RubyType::default() };
    for list in args.get(1..).into_iter().flatten().take(2) {
        let Expr::List(items) = &program[*list] else { return None };
        for item in program.list(*items) {
            let (attribute, is_namevar) = param(program, *item)?;
            if is_namevar {
                out.namevars.push(attribute.clone());
            }
            out.attributes.push(attribute);
        }
    }
    if let Some(patterns) = args.get(3) {
        out.title_patterns = title_patterns(program, *patterns)?;
    }
    if let Some(isomorphic) = args.get(4) {
        let Expr::Bool(isomorphic) = program[*isomorphic] else { return None };
        out.isomorphic = isomorphic;
    }
    let is_plain = out.namevars.len() == 1
        && out.title_patterns.as_ref().is_none_or(|patterns| {
            matches!(&**patterns, [(any, _)] if ANY_TITLE.contains(&any.source.as_str()))
        });
    out.patterns = !is_plain && out.title_patterns.is_some();
    Some((name, out))
}

/// `Puppet::Resource::Param(Type, 'name', is_namevar)`
fn param(program: &Program, id: ExprId) -> Option<(EcoString, bool)> {
    let Expr::Call(call) = &program[id] else { return None };
    let call = program.call(*call);
    if !matches!(&program[call.callee], Expr::Ref(name) if name == PARAM) {
        return None;
    }
    let args = program.list(call.args);
    let name = text(program, *args.get(1)?)?;
    let is_namevar = args.get(2).is_some_and(|id| matches!(program[*id], Expr::Bool(true)));
    Some((name, is_namevar))
}

fn title_patterns(program: &Program, id: ExprId) -> Option<Option<TitlePatterns>> {
    let entries = match &program[id] {
        Expr::Undef => return Some(None),
        Expr::Hash(entries) => program.list(*entries),
        _ => return None,
    };
    let mut out = TitlePatterns::new();
    for pair in entries.chunks_exact(2) {
        let source = match &program[pair[0]] {
            Expr::Regex(source) => source.clone(),
            _ => text(program, pair[0])?,
        };
        let Expr::List(names) = &program[pair[1]] else { return None };
        let names = program.list(*names).iter().map(|id| text(program, *id)).collect();
        out.push((Arc::new(Regexp::new(source)), names));
    }
    Some((!out.is_empty()).then_some(out))
}

fn text(program: &Program, id: ExprId) -> Option<EcoString> {
    match &program[id] {
        Expr::Str(text) | Expr::Name(text) => Some(text.clone()),
        _ => None,
    }
}
