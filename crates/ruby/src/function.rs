//! Functions that modules define in Ruby files.
//!
//! A file has to contain one `create_function` with dispatches and methods, or one `newfunction`
//! with a block. Files with any other code are beyond the subset, so that no file is evaluated in
//! part.

use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;

use crate::eval::error::Error;
use crate::eval::{self, Defined, Limits, MethodCall};
use crate::host::Host;
use crate::methods::BuiltIn;
use crate::syntax::{self, Block, BlockArg, Call, Expr, HashEntry, Kind, ParamTarget, SyntaxError};
use crate::value::{Foreign, Value};

/// A function of a file.
#[derive(Debug)]
pub struct Function {
    /// Its name.
    pub name: EcoString,
    /// Its calling interface.
    pub interface: Interface,
    /// The types of `local_types`, each written as `Name = Type`.
    pub local_types: Vec<EcoString>,
    methods: Defined,
    /// The block of a function of the 3.x interface.
    block: Option<Arc<Block>>,
    frozen_literals: bool,
}

/// The calling interface of a function.
#[derive(Debug)]
pub enum Interface {
    /// By one of these signatures.
    Dispatches(Vec<Dispatch>),
    /// With a list, by the 3.x interface.
    Old {
        /// The number of arguments; at least `-n - 1` if negative.
        arity: i32,
        /// Whether the function returns a value.
        is_rvalue: bool,
    },
}

/// A signature and its method.
#[derive(Debug, Default)]
pub struct Dispatch {
    /// The name of the method.
    pub method: EcoString,
    /// Its parameters.
    pub params: Vec<Param>,
    /// The type and the name of the block, and whether the block is optional.
    pub block: Option<(EcoString, EcoString, bool)>,
    /// The type of the value.
    pub returns: Option<EcoString>,
    /// Whether the method only explains why such arguments are wrong.
    pub explains: bool,
    /// The arguments of the method, in order.
    pub method_args: Vec<MethodArg>,
}

/// A parameter of a signature.
#[derive(Debug)]
pub struct Param {
    /// `required`, `optional`, `repeated` or `required_repeated`.
    pub kind: &'static str,
    /// Its type.
    pub of: EcoString,
    /// Its name.
    pub name: EcoString,
}

/// An argument of a method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MethodArg {
    /// The scope of the caller.
    Scope,
    /// The argument with this index, if the caller passed it.
    Argument(usize),
    /// The arguments from this index on.
    Rest(usize),
}

/// Visibility keywords. They do not affect calls on `self`.
const VISIBILITY: &[&str] = &["private", "protected", "public"];
/// Libraries whose supported parts are built in, so that `require` does nothing.
const LIBRARIES: &[&str] = &[
    "json",
    "yaml",
    "erb",
    "shellwords",
    "digest",
    "digest/md5",
    "digest/sha1",
    "digest/sha2",
    "base64",
    "cgi",
    "time",
    "psych",
    "puppet",
    "set",
];

/// The error for a file beyond the subset.
fn beyond<T>(what: impl Into<String>, line: u32) -> Result<T, SyntaxError> {
    Err(SyntaxError { message: what.into(), line, is_unsupported: true })
}

impl Function {
    /// Reads the file of a function.
    ///
    /// # Errors
    /// When it is no Ruby, beyond the subset, or has anything but one function.
    pub fn parse(source: &str) -> Result<Self, SyntaxError> {
        let program = syntax::parse_file(source)?;
        if !program.ivars.is_empty() {
            // They would have to survive the call.
            return beyond("instance variables", 1);
        }
        let mut found = None;
        statements(&program.body, "", &mut |call, line| {
            let made = Self::of_call(call, line)?;
            match found.replace(made) {
                None => Ok(()),
                Some(_) => beyond("two functions in a file", line),
            }
        })?;
        let Some(mut function) = found else { return beyond("a file without a function", 1) };
        function.frozen_literals = has_frozen_literals(source);
        Ok(function)
    }

    fn of_call(call: &Call, line: u32) -> Result<Self, SyntaxError> {
        let (BlockArg::Literal(block), Some(name)) = (&call.block, name_of(call.args.first()))
        else {
            return beyond("a function of this form", line);
        };
        let options = call.args.get(1);
        if call.args.len() > 2 {
            return beyond("a function of this form", line);
        }
        match call.name.as_str() {
            "create_function" => Self::new_form(name, options, block, line),
            _ => Self::old_form(name, options, block, line),
        }
    }

    fn old_form(
        name: EcoString,
        options: Option<&Expr>,
        block: &Arc<Block>,
        line: u32,
    ) -> Result<Self, SyntaxError> {
        let (mut arity, mut is_rvalue) = (-1, false);
        let entries = match options.map(|options| &options.kind) {
            None => &[][..],
            Some(Kind::Hash(hash)) => &hash.entries[..],
            Some(_) => return beyond("options of this form", line),
        };
        for entry in entries {
            let HashEntry::Pair(key, value) = entry else {
                return beyond("options of this form", line);
            };
            match (name_of(Some(key)).as_deref(), &value.kind) {
                (Some("type"), Kind::Symbol(kind)) if kind == "rvalue" => is_rvalue = true,
                (Some("type"), Kind::Symbol(kind)) if kind == "statement" => is_rvalue = false,
                (Some("arity"), Kind::Int(count)) => match i32::try_from(*count) {
                    Ok(count) => arity = count,
                    Err(_) => return beyond("an arity of this size", line),
                },
                (Some("doc"), _) if is_plain_text(value) => {}
                _ => return beyond("options of this form", line),
            }
        }
        Ok(Self {
            name,
            interface: Interface::Old { arity, is_rvalue },
            local_types: Vec::new(),
            methods: Defined::default(),
            block: Some(Arc::clone(block)),
            frozen_literals: false,
        })
    }

    fn new_form(
        name: EcoString,
        base: Option<&Expr>,
        block: &Block,
        line: u32,
    ) -> Result<Self, SyntaxError> {
        let is_internal = match base.map(path_of) {
            None => false,
            Some(Some(path)) => match path.trim_start_matches("::") {
                "Puppet::Functions::InternalFunction" => true,
                "Puppet::Functions::Function" => false,
                _ => return beyond("a function of this class", line),
            },
            Some(None) => return beyond("a function of this class", line),
        };
        let mut dispatches = Vec::new();
        let (mut local_types, mut methods) = (Vec::new(), Defined::default());
        for statement in sequence(&block.body) {
            let line = statement.line;
            match &statement.kind {
                Kind::Define(define) => {
                    methods.insert(define.name.clone(), Arc::clone(define));
                }
                Kind::Nil | Kind::Str(_) => {}
                Kind::Call(call) if call.receiver.is_none() => match call.name.as_str() {
                    "dispatch" | "argument_mismatch" => {
                        dispatches.push(Dispatch::read(call, is_internal, line)?);
                    }
                    "local_types" => read_local_types(call, &mut local_types, line)?,
                    word if VISIBILITY.contains(&word) && call.args.is_empty() => {}
                    word => return beyond(format!("`{word}' in the body of a function"), line),
                },
                _ => return beyond("code in the body of a function", line),
            }
        }
        if dispatches.is_empty() {
            dispatches.push(default_dispatch(&name, &methods, line)?);
        }
        let known = |d: &Dispatch| methods.contains_key(&d.method);
        if !dispatches.iter().all(known) || methods.contains_key("initialize") {
            return beyond("methods from elsewhere", line);
        }
        let interface = Interface::Dispatches(dispatches);
        Ok(Self { name, interface, local_types, methods, block: None, frozen_literals: false })
    }

    /// Calls a method of the function, or the function itself if it has the 3.x interface.
    /// Afterwards `limits` has the steps that are left.
    ///
    /// # Errors
    /// When the code raises an exception, is beyond the subset, or uses up a budget.
    pub fn call(
        &self,
        method: &str,
        args: Vec<Value>,
        block: Option<Rc<Foreign>>,
        host: &mut dyn Host,
        limits: &mut Limits,
    ) -> Result<Value, Error> {
        let body = match &self.block {
            Some(body) => Some(&**body),
            None => self.methods.get(method).map(|define| &define.block),
        };
        let Some(body) = body else {
            let what = format!("the method `{method}'");
            return Err(Error::Unsupported { what, line: 1 });
        };
        let (defined, frozen_literals) = (&self.methods, self.frozen_literals);
        let call = MethodCall { defined, body, args, block, frozen_literals };
        eval::call_method(call, host, &BuiltIn, limits)
    }
}

/// Whether a magic comment freezes string literals.
fn has_frozen_literals(source: &str) -> bool {
    let head = source.lines().take_while(|line| line.trim().is_empty() || line.starts_with('#'));
    head.into_iter().any(|line| {
        let line = line.replace(' ', "");
        line.contains("frozen_string_literal:true") || line.contains("frozen-string-literal:true")
    })
}

/// Calls `found` for each definition of a function. Any other statement is beyond the subset.
fn statements(
    body: &Expr,
    module: &str,
    found: &mut dyn FnMut(&Call, u32) -> Result<(), SyntaxError>,
) -> Result<(), SyntaxError> {
    for statement in sequence(body) {
        let line = statement.line;
        match &statement.kind {
            Kind::Nil | Kind::Str(_) => {}
            Kind::Module(name, body) => {
                let path = if module.is_empty() {
                    name.clone()
                } else {
                    ecow::eco_format!("{module}::{name}")
                };
                statements(body, &path, found)?;
            }
            Kind::Call(call) => match (call.name.as_str(), &call.receiver) {
                ("require", None) => match call.args.as_slice() {
                    [Expr { kind: Kind::Str(name), .. }] if LIBRARIES.contains(&name.as_str()) => {}
                    _ => return beyond("a library", line),
                },
                ("create_function" | "newfunction", receiver) => {
                    let path = match receiver {
                        None => Some(EcoString::from(module)),
                        Some(receiver) => path_of(receiver),
                    };
                    let wanted = match call.name.as_str() {
                        "newfunction" => "Puppet::Parser::Functions",
                        _ => "Puppet::Functions",
                    };
                    if path.as_deref() != Some(wanted) {
                        return beyond("a function of this form", line);
                    }
                    found(call, line)?;
                }
                (name, _) => return beyond(format!("`{name}' outside of a function"), line),
            },
            _ => return beyond("code outside of a function", line),
        }
    }
    Ok(())
}

fn sequence(body: &Expr) -> &[Expr] {
    match &body.kind {
        Kind::Sequence(all) => all,
        _ => std::slice::from_ref(body),
    }
}

fn path_of(expr: &Expr) -> Option<EcoString> {
    match &expr.kind {
        Kind::Const(name) => Some(name.clone()),
        Kind::Scoped(outer, name) => Some(ecow::eco_format!("{}::{name}", path_of(outer)?)),
        _ => None,
    }
}

/// The name in a symbol or string literal.
fn name_of(expr: Option<&Expr>) -> Option<EcoString> {
    match &expr?.kind {
        Kind::Symbol(name) | Kind::Str(name) => Some(name.clone()),
        _ => None,
    }
}

/// Whether an expression is a text without side effects.
fn is_plain_text(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Str(_) => true,
        Kind::Call(call) => {
            let trims = matches!(call.name.as_str(), "strip" | "chomp" | "lstrip" | "rstrip");
            trims && call.args.is_empty() && call.receiver.as_ref().is_some_and(is_plain_text)
        }
        _ => false,
    }
}

fn read_local_types(call: &Call, out: &mut Vec<EcoString>, line: u32) -> Result<(), SyntaxError> {
    let BlockArg::Literal(block) = &call.block else { return beyond("`local_types'", line) };
    for statement in sequence(&block.body) {
        match &statement.kind {
            Kind::Call(call) if call.name == "type" && call.args.len() == 1 => {
                match &call.args[0].kind {
                    Kind::Str(text) => out.push(text.clone()),
                    _ => return beyond("a type of this form", line),
                }
            }
            _ => return beyond("`local_types' of this form", line),
        }
    }
    Ok(())
}

/// The signature of a function without dispatches, taken from its method.
fn default_dispatch(name: &str, methods: &Defined, line: u32) -> Result<Dispatch, SyntaxError> {
    let method = name.rsplit("::").next().unwrap_or(name);
    let Some(define) = methods.get(method) else { return beyond("methods from elsewhere", line) };
    let params = &define.block.params;
    let has_others = !params.after.is_empty()
        || !params.keywords.is_empty()
        || params.keyword_rest.is_some()
        || params.block.is_some();
    if has_others {
        return beyond("a method with such parameters", line);
    }
    let mut out = Dispatch { method: method.into(), ..Dispatch::default() };
    let names = &define.block.names;
    let name_at = |index: u32| names.get(index as usize).cloned().unwrap_or_default();
    for param in &params.required {
        let ParamTarget::Plain(index) = param else { return beyond("a parameter", line) };
        out.add("required", "Any".into(), name_at(*index));
    }
    for (index, _) in &params.optional {
        out.add("optional", "Any".into(), name_at(*index));
    }
    match params.rest {
        None => {}
        Some(Some(index)) => out.add("repeated", "Any".into(), name_at(index)),
        Some(None) => out.add("repeated", "Any".into(), "args".into()),
    }
    Ok(out)
}

impl Dispatch {
    fn read(call: &Call, is_internal: bool, line: u32) -> Result<Self, SyntaxError> {
        let (BlockArg::Literal(block), [name]) = (&call.block, call.args.as_slice()) else {
            return beyond("a dispatch of this form", line);
        };
        let Kind::Symbol(method) = &name.kind else {
            return beyond("a dispatch of this form", line);
        };
        let explains = call.name == "argument_mismatch";
        let mut out = Self { method: method.clone(), explains, ..Self::default() };
        for statement in sequence(&block.body) {
            match &statement.kind {
                Kind::Nil => {}
                Kind::Call(call) if call.receiver.is_none() => {
                    out.read_line(call, is_internal, statement.line)?;
                }
                _ => return beyond("a dispatch of this form", statement.line),
            }
        }
        Ok(out)
    }

    fn add(&mut self, kind: &'static str, of: EcoString, name: EcoString) {
        let at = self.params.len();
        let repeats = kind.ends_with("repeated");
        self.method_args.push(if repeats { MethodArg::Rest(at) } else { MethodArg::Argument(at) });
        self.params.push(Param { kind, of, name });
    }

    /// Reads a line such as `param 'String', :name`. Lines that Puppet refuses are beyond the
    /// subset, so that Puppet's own code reports them.
    fn read_line(&mut self, call: &Call, is_internal: bool, line: u32) -> Result<(), SyntaxError> {
        let kind = match call.name.as_str() {
            "param" | "required_param" => "required",
            "optional_param" => "optional",
            "repeated_param" | "optional_repeated_param" => "repeated",
            "required_repeated_param" => "required_repeated",
            "block_param" | "required_block_param" => return self.read_block(call, false, line),
            "optional_block_param" => return self.read_block(call, true, line),
            "return_type" => match call.args.as_slice() {
                [Expr { kind: Kind::Str(of), .. }] => {
                    self.returns = Some(of.clone());
                    return Ok(());
                }
                _ => return beyond("a return type of this form", line),
            },
            "scope_param" if is_internal && call.args.is_empty() => {
                self.method_args.push(MethodArg::Scope);
                return Ok(());
            }
            other => return beyond(format!("`{other}' in a dispatch"), line),
        };
        let [Expr { kind: Kind::Str(of), .. }, Expr { kind: Kind::Symbol(name), .. }] =
            call.args.as_slice()
        else {
            return beyond("a parameter of this form", line);
        };
        let is_ordered = match self.params.last().map(|param| param.kind) {
            None | Some("required") => true,
            Some("optional") => kind == "optional" || kind == "repeated",
            Some(_) => false,
        };
        if !is_ordered || self.block.is_some() {
            return beyond("parameters in this order", line);
        }
        self.add(kind, of.clone(), name.clone());
        Ok(())
    }

    fn read_block(&mut self, call: &Call, optional: bool, line: u32) -> Result<(), SyntaxError> {
        let (of, name) = match call.args.as_slice() {
            [] => ("Callable".into(), "block".into()),
            [Expr { kind: Kind::Symbol(name), .. }] => ("Callable".into(), name.clone()),
            [Expr { kind: Kind::Str(of), .. }, Expr { kind: Kind::Symbol(name), .. }] => {
                (of.clone(), name.clone())
            }
            _ => return beyond("a block of this form", line),
        };
        if self.block.is_some() {
            return beyond("two blocks", line);
        }
        self.block = Some((of, name, optional));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::{HostError, Limits};

    struct Nothing;

    impl Host for Nothing {
        fn variable(&mut self, _: &str) -> Option<Value> {
            None
        }

        fn call(
            &mut self,
            _: Option<&Foreign>,
            _: &str,
            _: &[Value],
        ) -> Result<Option<Value>, HostError> {
            Ok(None)
        }
    }

    const NEW: &str = "# frozen_string_literal: true\n\nrequire 'json'\n\
        Puppet::Functions.create_function(:'a::b', Puppet::Functions::InternalFunction) do\n  \
          dispatch :low do\n    scope_param\n    param 'Integer', :x\n    repeated_param 'String', :more\n    \
            return_type 'Integer'\n  end\n  \
          local_types do\n    type 'Some = String'\n  end\n  \
          def low(scope, x, *more)\n    return twice(x) if more.empty?\n    x\n  end\n  \
          private\n  def twice(x)\n    x * 2\n  end\nend\n";

    #[test]
    fn a_function_with_signatures() {
        let function = Function::parse(NEW).unwrap();
        assert_eq!(function.name, "a::b");
        assert_eq!(function.local_types, ["Some = String"]);
        let Interface::Dispatches(all) = &function.interface else { panic!() };
        assert_eq!(
            all[0].method_args,
            [MethodArg::Scope, MethodArg::Argument(0), MethodArg::Rest(1)]
        );
        let args = vec![Value::Nil, Value::Int(4)];
        let value = function.call("low", args, None, &mut Nothing, &mut Limits::default());
        assert!(matches!(value, Ok(Value::Int(8))), "{:?}", value.err());
    }

    #[test]
    fn a_function_of_the_older_interface() {
        let text = "module Puppet::Parser::Functions\n  newfunction(:twice, :type => :rvalue, :arity => 1, \
            :doc => <<-EOS\n  Twice.\n  EOS\n  ) do |args|\n    return args[0] * 2 if args[0] > 1\n    0\n  end\nend\n";
        let function = Function::parse(text).unwrap();
        assert!(matches!(function.interface, Interface::Old { arity: 1, is_rvalue: true }));
        let args = vec![Value::array(vec![Value::Int(4)])];
        let value = function.call("", args, None, &mut Nothing, &mut Limits::default());
        assert!(matches!(value, Ok(Value::Int(8))), "{:?}", value.err());
    }

    #[test]
    fn files_with_anything_else_are_beyond_it() {
        let body = |inner: &str| {
            format!(
                "Puppet::Functions.create_function(:a) do\n  def a\n    1\n  end\n{inner}\nend\n"
            )
        };
        assert!(Function::parse(&body("")).is_ok());
        for text in [
            body("  X = 1"),
            body("  include Other"),
            body("  dispatch :b do\n  end"),
            body("  def self.b\n  end"),
            body("  def b\n    @b = 1\n  end"),
            body("  dispatch :a do\n    param \"#{x}\", :a\n  end"),
            "require 'ipaddr'\n".to_owned() + &body(""),
            "x = 1\n".to_owned() + &body(""),
            body("") + &body(""),
            "class A\nend\n".to_owned() + &body(""),
            "# nothing".to_owned(),
        ] {
            let error = Function::parse(&text).err();
            assert!(error.as_ref().is_some_and(|e| e.is_unsupported), "{text}: {error:?}");
        }
    }
}
