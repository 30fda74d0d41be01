//! Evaluates expressions.

use ecow::EcoString;

use super::arguments::Arguments;
use super::ast::{ArgumentNodes, Comparison, Escape, Expr, Filter};
use super::fault::{Fault, Res, type_error};
use super::runtime::Runtime;
use super::value::{Entries, Frame, Object, Val};
use crate::diagnostics::Exception;

impl Runtime<'_> {
    pub(super) fn value(&mut self, expr: &Expr, frame: &Frame) -> Res<Val> {
        match expr {
            Expr::Const(value) => Ok(Val::literal(value)),
            Expr::Name(name) => self.name(name, frame),
            _ => {
                self.step(1)?;
                self.nested(|runtime| runtime.composed(expr, frame))
            }
        }
    }

    fn values(&mut self, items: &[Expr], frame: &Frame) -> Res<Vec<Val>> {
        items.iter().map(|item| self.value(item, frame)).collect()
    }

    fn composed(&mut self, expr: &Expr, frame: &Frame) -> Res<Val> {
        match expr {
            Expr::Const(value) => Ok(Val::literal(value)),
            Expr::Name(name) => self.name(name, frame),
            Expr::NamespaceItem(name, attribute) => {
                let object = self.name(name, frame)?;
                self.attribute(&object, attribute)
            }
            Expr::List(items) => flat_enough(Val::list(self.values(items, frame)?)),
            Expr::Tuple(items) => flat_enough(Val::tuple(self.values(items, frame)?)),
            Expr::Dict(items) => self.dict(items, frame),
            Expr::Attribute(object, name) => {
                let object = self.value(object, frame)?;
                self.attribute(&object, name)
            }
            Expr::Item(object, argument) => {
                let object = self.value(object, frame)?;
                let argument_value = self.value(argument, frame)?;
                // Jinja does not look for attributes if the argument is a slice.
                if matches!(**argument, Expr::Slice(..)) {
                    return self.python_item(&object, &argument_value);
                }
                self.item(&object, &argument_value)
            }
            Expr::Slice(start, stop, step) => {
                let mut part = |part: &Option<Box<Expr>>| match part {
                    Some(part) => self.value(part, frame),
                    None => Ok(Val::None),
                };
                Ok(Val::object(Object::Slice(part(start)?, part(stop)?, part(step)?)))
            }
            Expr::Call(call) => {
                let callee = self.value(&call.callee, frame)?;
                let arguments = self.arguments(&call.arguments, frame)?;
                self.call(&callee, arguments, frame)
            }
            Expr::Filter(filter) => {
                let value = match &filter.value {
                    Some(value) => self.value(value, frame)?,
                    None => Val::str(""),
                };
                self.apply(filter, value, frame)
            }
            Expr::Test(test) => {
                self.check_known(test, false)?;
                let value = match &test.value {
                    Some(value) => self.value(value, frame)?,
                    None => Val::None,
                };
                let arguments = self.arguments(&test.arguments, frame)?;
                self.test(&test.name, value, arguments)
            }
            _ => self.operation(expr, frame),
        }
    }

    fn dict(&mut self, items: &[(Expr, Expr)], frame: &Frame) -> Res<Val> {
        let mut entries = Entries::default();
        for (key, value) in items {
            let key = self.value(key, frame)?;
            let value = self.value(value, frame)?;
            entries.insert(key, value, self)?;
        }
        flat_enough(Val::dict(entries))
    }

    /// Operators and the inline `if`.
    fn operation(&mut self, expr: &Expr, frame: &Frame) -> Res<Val> {
        match expr {
            Expr::Not(value) => {
                let value = self.value(value, frame)?;
                Ok(Val::Bool(!self.truth(&value)?))
            }
            Expr::Negative(value) => {
                let value = self.value(value, frame)?;
                self.negative(&value)
            }
            Expr::Positive(value) => {
                let value = self.value(value, frame)?;
                self.positive(&value)
            }
            Expr::And(a, b) => {
                let a = self.value(a, frame)?;
                if self.truth(&a)? { self.value(b, frame) } else { Ok(a) }
            }
            Expr::Or(a, b) => {
                let a = self.value(a, frame)?;
                if self.truth(&a)? { Ok(a) } else { self.value(b, frame) }
            }
            Expr::Binary(operator, a, b) => {
                let a = self.value(a, frame)?;
                let b = self.value(b, frame)?;
                self.binary(*operator, &a, &b)
            }
            Expr::Compare(first, rest) => self.comparisons(first, rest, frame),
            Expr::Concat(parts, escape) => self.concat(parts, *escape, frame),
            Expr::Conditional { test, then, otherwise } => {
                let test = self.value(test, frame)?;
                if self.truth(&test)? {
                    return self.value(then, frame);
                }
                match otherwise {
                    Ok(otherwise) => self.value(otherwise, frame),
                    Err(place) => Ok(Val::lenient(format!(
                        "the inline if-expression on {place} evaluated to false and no else \
                         section was defined."
                    ))),
                }
            }
            // `composed` has all other expressions.
            _ => Ok(Val::None),
        }
    }

    fn concat(&mut self, parts: &[Expr], escape: Escape, frame: &Frame) -> Res<Val> {
        let values = self.values(parts, frame)?;
        if escape == Escape::Always {
            return self.join_markup(&values);
        }
        let mut text = String::new();
        for value in &values {
            self.write_text(value, &mut text)?;
            self.text_fits(text.len())?;
        }
        Ok(Val::str(text))
    }

    /// Concatenates texts. If one of them is escaped, the others are escaped, too.
    pub(super) fn join_markup(&mut self, values: &[Val]) -> Res<Val> {
        let mut texts = Vec::new();
        for value in values {
            texts.push(match value {
                Val::Markup(_) => value.clone(),
                _ => Val::Str(self.text(value)?),
            });
        }
        if !texts.iter().any(Val::is_markup) {
            let texts: String =
                texts.iter().filter_map(Val::as_text).map(EcoString::as_str).collect();
            return Ok(Val::str(texts));
        }
        let mut out = String::new();
        for text in &texts {
            out.push_str(&self.escaped(text)?);
            self.text_fits(out.len())?;
        }
        Ok(Val::Markup(out.into()))
    }

    fn comparisons(
        &mut self,
        first: &Expr,
        rest: &[(Comparison, Expr)],
        frame: &Frame,
    ) -> Res<Val> {
        let mut left = self.value(first, frame)?;
        let mut result = Val::Bool(true);
        for (index, (comparison, right)) in rest.iter().enumerate() {
            let right = self.value(right, frame)?;
            result = Val::Bool(self.compare(*comparison, &left, &right)?);
            let is_last = index + 1 == rest.len();
            if !is_last && !self.truth(&result)? {
                return Ok(result);
            }
            left = right;
        }
        Ok(result)
    }

    pub(super) fn arguments(&mut self, nodes: &ArgumentNodes, frame: &Frame) -> Res<Arguments> {
        let mut found =
            Arguments { positional: self.values(&nodes.positional, frame)?, named: Vec::new() };
        if let Some(rest) = &nodes.rest {
            let rest = self.value(rest, frame)?;
            let items = self.collect(&rest).map_err(|fault| {
                if fault.is(&Exception::TypeError) {
                    let text =
                        format!("argument after * must be an iterable, not {}", rest.type_name());
                    return type_error(text);
                }
                fault
            })?;
            found.positional.extend(items);
        }
        for (name, value) in &nodes.named {
            let value = self.value(value, frame)?;
            found.named.push((name.clone(), value));
        }
        if let Some(keywords) = &nodes.keywords {
            let keywords = self.value(keywords, frame)?;
            if !self.has_keys(&keywords) {
                let text =
                    format!("argument after ** must be a mapping, not {}", keywords.type_name());
                return Err(type_error(text));
            }
            for (name, value) in self.entries(&keywords)? {
                let Some(name) = name.as_text() else {
                    return Err(type_error("keywords must be strings"));
                };
                if found.named.iter().any(|(other, _)| other == name) {
                    let name = crate::value::string_repr(name);
                    let text = format!("got multiple values for keyword argument {name}");
                    return Err(type_error(text));
                }
                found.named.push((name.clone(), value));
            }
        }
        Ok(found)
    }

    fn check_known(&mut self, found: &Filter, is_filter: bool) -> Res<()> {
        let is_known = if is_filter {
            self.has_filter(&found.name)
        } else {
            super::tests::is_test(&found.name)
        };
        if is_known {
            return Ok(());
        }
        let kind = if is_filter { "filter" } else { "test" };
        let name = crate::value::string_repr(&found.name);
        Err(Fault::Raised(Exception::TemplateRuntime, format!("No {kind} named {name} found.")))
    }

    fn apply(&mut self, filter: &Filter, value: Val, frame: &Frame) -> Res<Val> {
        self.check_known(filter, true)?;
        let arguments = self.arguments(&filter.arguments, frame)?;
        let autoescape = frame.context.autoescape.get();
        self.filter(&filter.name, value, arguments, autoescape)
    }

    /// Applies filters to the text of a block.
    pub(super) fn filtered(&mut self, expr: &Expr, text: Val, frame: &Frame) -> Res<Val> {
        let Expr::Filter(filter) = expr else { return Ok(text) };
        let value = match &filter.value {
            Some(inner) => self.nested(|runtime| runtime.filtered(inner, text, frame))?,
            None => text,
        };
        self.apply(filter, value, frame)
    }
}

/// Checks the nesting of a new value.
pub(super) fn flat_enough(value: Val) -> Res<Val> {
    if value.is_too_deep() {
        return Err(Fault::Raised(
            Exception::RecursionError,
            "maximum recursion depth exceeded".into(),
        ));
    }
    Ok(value)
}
