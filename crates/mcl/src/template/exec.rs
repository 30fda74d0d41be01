//! Executing a template.

use ordain_functions::go::quote::quote;
use ordain_source::budget::{self, scaled};
use ordain_source::limits::most_text;

use super::ast::{Id, Kind, NAME, Tree};
use super::data::{self, Datum, go_type};
use super::{builtins, callable};
use crate::functions::{AllFunctions, Builtin, Environment};
use crate::types::Type;
use crate::value::Value;

/// The maximal nesting of calls of templates.
const MAX_DEPTH: u32 = 100;
/// The maximal number of executed parts.
const MAX_STEPS: u64 = 10_000_000;

/// Executes a template on data.
///
/// # Errors
/// `template: template:1:2: executing "template" at <.x>: …`
pub(super) fn execute(
    tree: &Tree,
    data: Option<Datum>,
    environment: &dyn Environment,
    functions: AllFunctions,
) -> Result<Vec<u8>, String> {
    let Some(root) = tree.templates.get(NAME).copied() else { return Ok(Vec::new()) };
    let dot = data.unwrap_or(Datum::Nothing);
    let variables = vec![("$".to_owned(), dot.clone())];
    let mut state = State {
        tree,
        environment,
        functions,
        out: Vec::new(),
        variables,
        template: NAME,
        at: root,
        depth: 0,
        steps: 0,
    };
    state.walk(&dot, root)?;
    Ok(state.out)
}

struct State<'t> {
    tree: &'t Tree,
    environment: &'t dyn Environment,
    functions: AllFunctions,
    out: Vec<u8>,
    variables: Vec<(String, Datum)>,
    template: &'t str,
    /// The node that messages name.
    at: Id,
    depth: u32,
    steps: u64,
}

type Step<T> = Result<T, String>;

/// The way in which the execution continues.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Next,
    Break,
    Continue,
}

/// The result of the previous command of the pipeline, if there is one.
type Final<'d> = Option<&'d Datum>;

impl<'t> State<'t> {
    fn fail<T>(&self, reason: impl std::fmt::Display) -> Step<T> {
        let at = self.tree.get(self.at).at;
        let before = self.tree.text.get(..at).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        let column = at - before.rfind('\n').map_or(0, |newline| newline + 1);
        let context = self.tree.show(self.at);
        let name = quote(self.template.as_bytes());
        Err(format!("template: {NAME}:{line}:{column}: executing {name} at <{context}>: {reason}"))
    }

    fn check_budget(&mut self) -> Step<()> {
        self.steps += 1;
        if self.steps > scaled(MAX_STEPS) || budget::check().is_err() {
            return self.fail("the template takes too long");
        }
        if self.out.len() > most_text() {
            return self.fail("the text has grown too long");
        }
        Ok(())
    }

    fn walk(&mut self, dot: &Datum, id: Id) -> Step<Flow> {
        self.at = id;
        self.check_budget()?;
        let tree = self.tree;
        match tree.kind(id) {
            Kind::Text(text) => self.out.extend(text.bytes()),
            Kind::List(nodes) => {
                for node in nodes {
                    let flow = self.walk(dot, *node)?;
                    if flow != Flow::Next {
                        return Ok(flow);
                    }
                }
            }
            Kind::Action(pipe) => {
                let value = self.pipeline(dot, *pipe)?;
                if tree.pipe(*pipe).is_none_or(|pipe| pipe.variables.is_empty()) {
                    self.at = id;
                    self.out.extend(value.text());
                }
            }
            Kind::If { pipe, body, other } => {
                return self.condition(dot, *pipe, (*body, *other), false);
            }
            Kind::With { pipe, body, other } => {
                return self.condition(dot, *pipe, (*body, *other), true);
            }
            Kind::Range { pipe, body, other } => return self.range(dot, *pipe, (*body, *other)),
            Kind::Template { name, pipe } => self.template(dot, name, *pipe)?,
            Kind::Break => return Ok(Flow::Break),
            Kind::Continue => return Ok(Flow::Continue),
            _ => return self.fail("this is no statement"),
        }
        Ok(Flow::Next)
    }

    fn condition(
        &mut self,
        dot: &Datum,
        pipe: Id,
        bodies: (Id, Option<Id>),
        is_with: bool,
    ) -> Step<Flow> {
        let mark = self.variables.len();
        let value = self.pipeline(dot, pipe)?;
        let flow = match (value.is_true(), bodies.1) {
            (true, _) => self.walk(if is_with { &value } else { dot }, bodies.0)?,
            (false, Some(other)) => self.walk(dot, other)?,
            (false, None) => Flow::Next,
        };
        self.variables.truncate(mark);
        Ok(flow)
    }

    fn range(&mut self, dot: &Datum, pipe: Id, bodies: (Id, Option<Id>)) -> Step<Flow> {
        let outer = self.variables.len();
        let value = self.pipeline(dot, pipe)?;
        let mark = self.variables.len();
        let is_over = match &value {
            Datum::Int(count, is_wide) => {
                if self.tree.pipe(pipe).is_some_and(|pipe| pipe.variables.len() > 1) {
                    let text = format!("can't use {count} to iterate over more than one variable");
                    return self.fail(text);
                }
                let mut is_over = true;
                for number in 0..*count {
                    is_over = false;
                    let item = Datum::Int(number, *is_wide);
                    if !self.iteration(pipe, &Datum::Nothing, &item, bodies.0, mark)? {
                        break;
                    }
                }
                is_over
            }
            Datum::List(list) => {
                for (index, item) in list.items.iter().enumerate() {
                    if !self.iteration(pipe, &Datum::int(index), item, bodies.0, mark)? {
                        break;
                    }
                }
                list.items.is_empty()
            }
            Datum::Map(map) => {
                for (key, item) in &map.pairs {
                    if !self.iteration(pipe, key, item, bodies.0, mark)? {
                        break;
                    }
                }
                map.pairs.is_empty()
            }
            Datum::Nothing => true,
            other => {
                let shown = String::from_utf8_lossy(&other.text()).into_owned();
                return self.fail(format_args!("range can't iterate over {shown}"));
            }
        };
        let mut flow = Flow::Next;
        if let Some(other) = bodies.1.filter(|_| is_over) {
            flow = self.walk(dot, other)?;
        }
        self.variables.truncate(outer);
        Ok(flow)
    }

    /// Runs one iteration of a loop. Returns whether to continue.
    fn iteration(
        &mut self,
        pipe: Id,
        key: &Datum,
        item: &Datum,
        body: Id,
        mark: usize,
    ) -> Step<bool> {
        if let Some(pipe) = self.tree.pipe(pipe) {
            let values: &[&Datum] = if pipe.variables.len() > 1 { &[key, item] } else { &[item] };
            for (index, (name, value)) in pipe.variables.iter().zip(values).enumerate() {
                if pipe.is_assignment {
                    self.assign(name, value)?;
                } else {
                    // The pipeline pushed its variables.
                    let place = mark - pipe.variables.len() + index;
                    if let Some(variable) = self.variables.get_mut(place) {
                        variable.1 = (*value).clone();
                    }
                }
            }
        }
        let flow = self.walk(item, body)?;
        self.variables.truncate(mark);
        Ok(flow != Flow::Break)
    }

    fn template(&mut self, dot: &Datum, name: &'t str, pipe: Option<Id>) -> Step<()> {
        let Some(body) = self.tree.templates.get(name).copied() else {
            let quoted = quote(name.as_bytes());
            return self.fail(format_args!("template {quoted} not defined"));
        };
        if self.depth >= MAX_DEPTH {
            return self.fail(format_args!("exceeded maximum template depth ({MAX_DEPTH})"));
        }
        let dot = match pipe {
            Some(pipe) => self.pipeline(dot, pipe)?,
            None => Datum::Nothing,
        };
        let own = vec![("$".to_owned(), dot.clone())];
        let variables = std::mem::replace(&mut self.variables, own);
        let outer = std::mem::replace(&mut self.template, name);
        self.depth += 1;
        self.walk(&dot, body)?;
        self.depth -= 1;
        self.template = outer;
        self.variables = variables;
        Ok(())
    }

    fn assign(&mut self, name: &str, value: &Datum) -> Step<()> {
        match self.variables.iter_mut().rev().find(|(known, _)| known == name) {
            Some(variable) => {
                variable.1 = value.clone();
                Ok(())
            }
            None => self.fail(format_args!("undefined variable: {name}")),
        }
    }

    fn pipeline(&mut self, dot: &Datum, id: Id) -> Step<Datum> {
        self.at = id;
        self.check_budget()?;
        let tree = self.tree;
        let Some(pipe) = tree.pipe(id) else { return self.fail("this is no pipeline") };
        let mut value = None;
        for command in &pipe.commands {
            value = Some(self.command(dot, *command, value.as_ref())?);
        }
        let value = value.unwrap_or(Datum::Nothing);
        for name in &pipe.variables {
            if pipe.is_assignment {
                self.assign(name, &value)?;
            } else {
                self.variables.push((name.clone(), value.clone()));
            }
        }
        Ok(value)
    }

    fn command(&mut self, dot: &Datum, id: Id, last: Final<'_>) -> Step<Datum> {
        let tree = self.tree;
        let Kind::Command(args) = tree.kind(id) else { return self.fail("this is no command") };
        let Some((first, rest)) = args.split_first() else { return self.fail("empty command") };
        let has_args = !rest.is_empty() || last.is_some();
        match tree.kind(*first) {
            Kind::Function(name) => return self.function(dot, (*first, id), name, rest, last),
            Kind::Field(_) | Kind::Chain(..) => return self.fields_of(dot, *first, has_args),
            Kind::Variable(names) if names.len() > 1 => {
                return self.fields_of(dot, *first, has_args);
            }
            Kind::Pipe(_) => {}
            _ => self.at = *first,
        }
        if has_args {
            let shown = tree.show(*first);
            return self.fail(format_args!("can't give argument to non-function {shown}"));
        }
        match tree.kind(*first) {
            Kind::Nil => self.fail("nil is not a command"),
            _ => self.operand(dot, *first),
        }
    }

    /// The value of an operand that is no function with arguments.
    fn operand(&mut self, dot: &Datum, id: Id) -> Step<Datum> {
        let tree = self.tree;
        match tree.kind(id) {
            Kind::Pipe(_) => self.pipeline(dot, id),
            Kind::Function(name) => self.function(dot, (id, id), name, &[], None),
            Kind::Field(_) | Kind::Chain(..) => self.fields_of(dot, id, false),
            Kind::Variable(names) => {
                self.at = id;
                if names.len() > 1 {
                    return self.fields_of(dot, id, false);
                }
                self.variable(names.first().map_or("", String::as_str))
            }
            Kind::Dot => Ok(dot.clone()),
            Kind::Bool(value) => Ok(Datum::Bool(*value)),
            Kind::Str(_, value) => Ok(Datum::Str(crate::value::Str::from_bytes(value.clone()))),
            Kind::Number { text, int, float, is_char } => {
                let is_hex =
                    text.to_ascii_lowercase().starts_with("0x") && !text.contains(['p', 'P']);
                let is_float = !is_char && !is_hex && text.contains(['.', 'e', 'E', 'p', 'P']);
                match (int, float) {
                    (_, Some(float)) if is_float => Ok(Datum::Float(*float)),
                    (Some(int), _) => Ok(Datum::Int(*int, false)),
                    (None, Some(float)) => Ok(Datum::Float(*float)),
                    (None, None) => self.fail(format_args!("{text} overflows int")),
                }
            }
            _ => {
                let shown = quote(tree.show(id).as_bytes());
                self.fail(format_args!("can't evaluate command {shown}"))
            }
        }
    }

    fn variable(&self, name: &str) -> Step<Datum> {
        match self.variables.iter().rev().find(|(known, _)| known == name) {
            Some((_, value)) => Ok(value.clone()),
            None => self.fail(format_args!("undefined variable: {name}")),
        }
    }

    /// The fields of the dot, of a variable or of a pipeline.
    fn fields_of(&mut self, dot: &Datum, id: Id, has_args: bool) -> Step<Datum> {
        self.at = id;
        let tree = self.tree;
        let (mut value, names) = match tree.kind(id) {
            Kind::Field(names) => (dot.clone(), names.as_slice()),
            Kind::Variable(names) => {
                let (first, rest) = names.split_first().ok_or("a variable has no name")?;
                (self.variable(first)?, rest)
            }
            Kind::Chain(node, names) => {
                if matches!(tree.kind(*node), Kind::Nil) {
                    let shown = tree.show(id);
                    return self.fail(format_args!("indirection through explicit nil in {shown}"));
                }
                self.at = *node;
                (self.operand(dot, *node)?, names.as_slice())
            }
            _ => return self.fail("this has no fields"),
        };
        // Whether the value comes from a map of any values, which affects messages.
        let mut is_any = false;
        for (index, name) in names.iter().enumerate() {
            let is_last = index + 1 == names.len();
            let next = self.field(&value, name, has_args && is_last, is_any)?;
            is_any = matches!(&value, Datum::Map(map) if map.value == "interface {}");
            value = next;
        }
        Ok(value)
    }

    fn field(&self, value: &Datum, name: &str, has_args: bool, is_any: bool) -> Step<Datum> {
        let quoted = quote(name.as_bytes());
        match value {
            Datum::Nothing => self.fail(format_args!("nil data; no entry for key {quoted}")),
            Datum::Map(map) if map.key == "string" => {
                if has_args {
                    return self.fail(format_args!("{name} is not a method but has arguments"));
                }
                match map.field(name) {
                    Some(found) => Ok(found.clone()),
                    None => self.fail(format_args!("map has no entry for key {quoted}")),
                }
            }
            other => {
                let of = if is_any { "interface {}".into() } else { other.type_name() };
                self.fail(format_args!("can't evaluate field {name} in type {of}"))
            }
        }
    }

    /// A call. Messages name the function or the whole command.
    fn function(
        &mut self,
        dot: &Datum,
        nodes: (Id, Id),
        name: &str,
        args: &[Id],
        last: Final<'_>,
    ) -> Step<Datum> {
        self.at = nodes.0;
        if let Some(own) = callable::find(self.functions, name) {
            return self.call_mcl(dot, nodes.1, (name, own), args, last);
        }
        let Some(builtin) = builtins::find(name) else {
            let quoted = quote(name.as_bytes());
            return self.fail(format_args!("{quoted} is not a defined function"));
        };
        let count = args.len() + usize::from(last.is_some());
        if builtin.most.is_some_and(|most| count != most) {
            let want = builtin.least;
            return self
                .fail(format_args!("wrong number of args for {name}: want {want} got {count}"));
        }
        if count < builtin.least {
            let (want, got) = (builtin.least, args.len());
            let text = format!("wrong number of args for {name}: want at least {want} got {got}");
            return self.fail(text);
        }
        if matches!(name, "and" | "or") {
            return self.short_circuit(dot, name == "or", args, last);
        }
        let mut values = Vec::with_capacity(count);
        for (index, arg) in args.iter().enumerate() {
            values.push(self.argument(dot, *arg, name == "printf" && index == 0)?);
        }
        if let Some(last) = last {
            if name == "printf" && values.is_empty() && !matches!(last, Datum::Str(_)) {
                return self.wrong_type("string", last);
            }
            values.push(last.clone());
        }
        (builtin.run)(&values).or_else(|reason| {
            self.at = nodes.1;
            let callee = match (args.first(), last) {
                (Some(arg), _) => self.tree.show(*arg),
                (None, Some(Datum::Str(text))) => text.to_string(),
                (None, Some(other)) => format!("<{} Value>", other.type_name()),
                (None, None) => String::new(),
            };
            let reason = reason.replace("{name}", &callee);
            self.fail(format_args!("error calling {name}: {reason}"))
        })
    }

    fn short_circuit(
        &mut self,
        dot: &Datum,
        is_or: bool,
        args: &[Id],
        last: Final<'_>,
    ) -> Step<Datum> {
        let mut value = Datum::Nothing;
        for arg in args {
            value = self.argument(dot, *arg, false)?;
            if value.is_true() == is_or {
                return Ok(value);
            }
        }
        Ok(last.cloned().unwrap_or(value))
    }

    /// An argument of a function of the template language: any value, or a text.
    fn argument(&mut self, dot: &Datum, id: Id, is_text: bool) -> Step<Datum> {
        self.at = id;
        let tree = self.tree;
        match tree.kind(id) {
            Kind::Nil if is_text => self.fail("cannot assign nil to string"),
            Kind::Nil => Ok(Datum::Nothing),
            Kind::Bool(_) | Kind::Number { .. } if is_text => {
                let shown = tree.show(id);
                self.fail(format_args!("expected string; found {shown}"))
            }
            _ => {
                let value = self.operand(dot, id)?;
                if is_text && !matches!(value, Datum::Str(_)) {
                    return self.wrong_type("string", &value);
                }
                Ok(value)
            }
        }
    }

    fn wrong_type<T>(&self, wanted: &str, found: &Datum) -> Step<T> {
        if *found == Datum::Nothing {
            return self.fail(format_args!("invalid value; expected {wanted}"));
        }
        let found = found.type_name();
        self.fail(format_args!("wrong type for value; expected {wanted}; got {found}"))
    }

    fn call_mcl(
        &mut self,
        dot: &Datum,
        node: Id,
        function: (&str, &'static Builtin),
        args: &[Id],
        last: Final<'_>,
    ) -> Step<Datum> {
        let (name, builtin) = function;
        let ty = builtin.signature();
        let Some(shape) = ty.as_func() else { return self.fail("the function has no signature") };
        let count = args.len() + usize::from(last.is_some());
        let want = shape.args.len();
        if count != want {
            return self
                .fail(format_args!("wrong number of args for {name}: want {want} got {count}"));
        }
        let mut values = Vec::with_capacity(want);
        for (arg, ty) in args.iter().zip(&shape.args) {
            values.push(self.typed_argument(dot, *arg, ty)?);
        }
        if let (Some(last), Some(ty)) = (last, shape.args.last()) {
            match last.to_value(ty) {
                Some(value) => values.push(value),
                None => return self.wrong_type(&go_type(ty), last),
            }
        }
        let values: Vec<&Value> = values.iter().collect();
        let outcome = builtin.call(&values, shape, self.environment);
        let outcome = outcome.map_err(|fault| fault.message.to_string());
        outcome.and_then(|value| data::result(&value, &shape.result)).or_else(|reason| {
            self.at = node;
            self.fail(format_args!("error calling {name}: function `{name}` errored: {reason}"))
        })
    }

    /// An argument of a function of mcl. Constants are converted to the type of the parameter.
    fn typed_argument(&mut self, dot: &Datum, id: Id, ty: &Type) -> Step<Value> {
        self.at = id;
        let tree = self.tree;
        let wanted = go_type(ty);
        let shown = || tree.show(id);
        let kind = match ty {
            Type::Bool => "bool",
            Type::Int => "integer",
            Type::Float => "float",
            Type::Str => "string",
            _ => "",
        };
        match tree.kind(id) {
            Kind::Nil if matches!(ty, Type::List(_) | Type::Map(_)) => {
                ty.zero().map_or_else(|| self.fail("there is no such value"), Ok)
            }
            Kind::Nil => self.fail(format_args!("cannot assign nil to {wanted}")),
            Kind::Bool(value) if *ty == Type::Bool => Ok((*value).into()),
            Kind::Number { int: Some(int), .. } if *ty == Type::Int => Ok((*int).into()),
            Kind::Number { float: Some(float), .. } if *ty == Type::Float => Ok((*float).into()),
            Kind::Str(_, value) if *ty == Type::Str => Ok(Value::bytes(value.clone())),
            Kind::Bool(_) | Kind::Number { .. } | Kind::Str(..) if kind.is_empty() => {
                self.fail(format_args!("can't handle {} for arg of type {wanted}", shown()))
            }
            Kind::Bool(_) | Kind::Number { .. } | Kind::Str(..) => {
                self.fail(format_args!("expected {kind}; found {}", shown()))
            }
            _ => {
                let value = self.operand(dot, id)?;
                match value.to_value(ty) {
                    Some(value) => Ok(value),
                    None => self.wrong_type(&wanted, &value),
                }
            }
        }
    }
}
