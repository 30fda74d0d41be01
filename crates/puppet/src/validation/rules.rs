//! The rules for expressions.

use ordain_source::TextRange;
use ordain_syntax::ListRef;
use rustc_hash::FxHashSet;

use super::checker::Checker;
use super::label::{a_an, a_an_uc, label, node_label};
use super::literal::{display, literal};
use super::walk::{Node, entry_place};
use super::{Strict, names};
use crate::syntax::*;

impl Checker<'_> {
    pub(super) fn check(&mut self, node: Node) {
        match node {
            Node::Expr(id) => self.expr(id),
            Node::Param(i, list) => self.param(i, list),
            Node::Attribute(i, list) => self.attribute(&self.program.attributes(list)[i].clone()),
            Node::Body(i, list) => self.resource_body(self.program.bodies(list)[i].attributes),
            Node::CaseOption(i, list) | Node::SelectorEntry(i, list) => {
                for &value in self.program.list(self.program.options(list)[i].values) {
                    self.rvalue(value);
                }
            }
            Node::Entry(key, value) => {
                self.rvalue(key);
                self.rvalue(value);
            }
            Node::Query(query) => self.query(query),
            Node::EppBody(_) => self.epp_params(),
            Node::Program => {}
        }
    }

    fn expr(&mut self, id: ExprId) {
        let program = self.program;
        match &program[id] {
            Expr::Int { radix: 0, .. } => self.overflow(id),
            Expr::Var(name) => self.variable(id, name),
            Expr::List(list) => {
                for &value in program.list(*list) {
                    self.rvalue(value);
                }
            }
            Expr::Hash(list) => self.duplicate_keys(*list),
            Expr::Binary { left, right, .. } | Expr::And(left, right) | Expr::Or(left, right) => {
                self.rvalue(*left);
                self.rvalue(*right);
            }
            Expr::Not(inner)
            | Expr::Minus(inner)
            | Expr::Splat(inner)
            | Expr::Paren(inner)
            | Expr::Text(inner)
            | Expr::Render(inner) => self.rvalue(*inner),
            Expr::Assign { op, left, right } => self.assignment(id, *op, *left, *right),
            Expr::Relation { left, right, .. } => {
                self.relation(*left);
                self.relation(*right);
            }
            Expr::Block(list) => self.block(id, program.list(*list)),
            Expr::If(test, ..) | Expr::Unless(test, ..) => self.rvalue(*test),
            Expr::Case(test, options) => self.case(*test, *options),
            Expr::Selector(left, options) => self.selector(*left, *options),
            Expr::Call(call) => self.call(id, program.call(*call)),
            Expr::Lambda(lambda) => self.lambda(id, program.lambda(*lambda)),
            Expr::Epp { params, .. } => self.capture_last(*params),
            Expr::Heredoc { syntax, text } => self.heredoc(syntax, *text),
            Expr::Definition(definition) => self.definition(id, program.definition(*definition)),
            _ => self.resource_expr(id),
        }
    }

    fn resource_expr(&mut self, id: ExprId) {
        let program = self.program;
        let virtual_form = |form: &ResourceForm| *form != ResourceForm::Regular;
        match &program[id] {
            Expr::Resource { form, kind, .. } if virtual_form(form) => {
                if matches!(&program[*kind], Expr::Name(name) if name == "class") {
                    let message = "Classes are not virtualizable";
                    self.error_at("CLASS_NOT_VIRTUALIZABLE", id, message);
                }
            }
            Expr::ResourceDefaults { form, .. } | Expr::ResourceOverride { form, .. }
                if virtual_form(form) =>
            {
                let message = "Resource Defaults are not virtualizable";
                self.error_at("NOT_VIRTUALIZEABLE", id, message);
            }
            Expr::Collect { kind, .. } if !matches!(program[*kind], Expr::Ref(_)) => {
                self.illegal_expression(*kind, "type name", id);
            }
            Expr::Reserved(word) => {
                let message = format!(
                    "Use of reserved word: {word}, must be quoted if intended to be a String value"
                );
                self.error_at("RESERVED_WORD", id, message);
            }
            _ => {}
        }
    }

    pub(super) fn illegal_expression(&mut self, id: ExprId, feature: &str, container: ExprId) {
        let message = format!(
            "Illegal expression. {} is unacceptable as {feature} in {}",
            a_an_uc(&label(self.program, id)),
            a_an(&label(self.program, container))
        );
        self.error_at("ILLEGAL_EXPRESSION", id, message);
    }

    /// Refuses an expression without a value where a value is needed.
    fn rvalue(&mut self, mut id: ExprId) {
        loop {
            match &self.program[id] {
                Expr::Not(inner)
                | Expr::Minus(inner)
                | Expr::Splat(inner)
                | Expr::Paren(inner)
                | Expr::Text(inner)
                | Expr::Render(inner) => id = *inner,
                Expr::Collect { .. } | Expr::Definition(_) => break,
                _ => return,
            }
        }
        let what = a_an_uc(&label(self.program, id));
        let message = format!("Invalid use of expression. {what} does not produce a value");
        self.error_at("NOT_RVALUE", id, message);
    }

    fn relation(&mut self, id: ExprId) {
        if !matches!(self.program[id], Expr::Collect { .. } | Expr::Relation { .. }) {
            self.rvalue(id);
        }
    }

    fn overflow(&mut self, id: ExprId) {
        let program = self.program;
        let value = pn::big_integer(program.text(program.range(id)));
        let hex = value.parse::<u128>().map_or(value, |v| format!("{v:#x}"));
        let message = format!(
            "A Literal Integer resulted in a value outside of Puppet Integer max range, got '+{hex}'"
        );
        self.error_at("NUMERIC_OVERFLOW", id, message);
    }

    fn variable(&mut self, id: ExprId, name: &str) {
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            if !names::is_number(name) {
                let message = format!(
                    "Illegal numeric variable name, The given name '{name}' must be a decimal \
                     value if it starts with a digit 0-9"
                );
                self.error_at("ILLEGAL_NUMERIC_VAR_NAME", id, message);
            }
        } else if !names::is_variable(name) {
            let message = format!(
                "Illegal variable name, The given name '{name}' does not conform to the naming \
                 rule /^((::)?[a-z]\\w*)*((::)?[a-z_]\\w*)$/"
            );
            self.error_at("ILLEGAL_VAR_NAME", id, message);
        }
    }

    fn duplicate_keys(&mut self, list: ExprList) {
        if self.options.strict == Strict::Off || list.len() < 4 {
            return;
        }
        let mut seen = FxHashSet::default();
        for pair in self.program.list(list).chunks_exact(2) {
            let Some(key) = literal(self.program, pair[0]) else { continue };
            let text = display(self.program, pair[0], &key);
            if seen.insert(key) {
                continue;
            }
            let at = entry_place(self.program, pair[1]);
            let message = format!("The key '{text}' is declared more than once");
            match self.options.strict {
                Strict::Error => self.error("DUPLICATE_KEY", at, message),
                _ => self.warning("DUPLICATE_KEY", at, message),
            }
        }
    }

    fn assignment(&mut self, id: ExprId, op: AssignOp, left: ExprId, right: ExprId) {
        if op != AssignOp::Delete && self.is_initialising(left) {
            self.rvalue(right);
            return;
        }
        if op != AssignOp::Set {
            let message = format!(
                "The operator '{}' is no longer supported. See \
                 http://links.puppet.com/remove-plus-equals",
                op.sign()
            );
            self.error_at("APPENDS_DELETES_NO_LONGER_SUPPORTED", id, message);
            return;
        }
        self.assign(left);
        self.rvalue(right);
    }

    /// Checks the left side of `=`.
    fn assign(&mut self, id: ExprId) {
        let program = self.program;
        match &program[id] {
            Expr::Var(name) => {
                if names::is_number(name) {
                    let message = format!(
                        "Illegal attempt to assign to the numeric match result variable '${name}'. \
                         Numeric variables are not assignable"
                    );
                    self.error_at("ILLEGAL_NUMERIC_ASSIGNMENT", id, message);
                }
                if name.contains("::") {
                    let message = format!(
                        "Illegal attempt to assign to '{name}'. Cannot assign to variables in \
                         other namespaces"
                    );
                    self.error_at("CROSS_SCOPE_ASSIGNMENT", id, message);
                }
            }
            Expr::Access(_) => {
                let message =
                    "Illegal attempt to assign via [index/key]. Not an assignable reference";
                self.error_at("ILLEGAL_INDEXED_ASSIGNMENT", id, message);
            }
            Expr::List(list) => {
                for &target in program.list(*list) {
                    self.assign(target);
                }
            }
            _ => {
                let what = a_an(&label(program, id));
                let message =
                    format!("Illegal attempt to assign to '{what}'. Not an assignable reference");
                self.error_at("ILLEGAL_ASSIGNMENT", id, message);
            }
        }
    }

    /// Whether an expression is a name and a hash, the form that a resource without a title is
    /// parsed to.
    pub(super) fn is_untitled_resource(&self, id: ExprId) -> bool {
        let Expr::Block(list) = self.program[id] else { return false };
        match self.program.list(list) {
            [name, hash] => {
                matches!(self.program[*name], Expr::Name(_))
                    && matches!(self.program[*hash], Expr::Hash(_))
            }
            _ => false,
        }
    }

    fn block(&mut self, id: ExprId, statements: &[ExprId]) {
        let Some((_, before)) = statements.split_last() else { return };
        if self.is_untitled_resource(id)
            && let Some(Expr::Name(name)) = before.first().map(|&n| &self.program[n])
        {
            let message = format!(
                "This expression is invalid. Did you try declaring a '{name}' resource without a \
                 title?"
            );
            self.error_at("RESOURCE_WITHOUT_TITLE", id, message);
            return;
        }
        if let Some(&idle) = before.iter().find(|&&s| self.idem(s)) {
            let message = format!(
                "This {} has no effect. A value was produced and then forgotten (one or more \
                 preceding expressions may have the wrong form)",
                label(self.program, idle)
            );
            self.error_at("IDEM_EXPRESSION_NOT_LAST", idle, message);
        }
    }

    /// Whether an expression has no effect besides its value.
    pub(super) fn idem(&self, id: ExprId) -> bool {
        let program = self.program;
        let all = |ids: &[ExprId]| ids.iter().all(|&id| self.idem(id));
        let mut id = id;
        loop {
            return match &program[id] {
                Expr::Nop | Expr::Undef | Expr::Default | Expr::Bool(_) | Expr::Int { .. } => true,
                Expr::Float(_) | Expr::Str(_) | Expr::Name(_) | Expr::Ref(_) => true,
                Expr::Reserved(_) | Expr::Regex(_) | Expr::Var(_) | Expr::Concat(_) => true,
                Expr::Text(_) | Expr::Heredoc { .. } | Expr::List(_) | Expr::Hash(_) => true,
                Expr::Access(_) | Expr::And(..) | Expr::Or(..) | Expr::Not(_) => true,
                Expr::Minus(_) | Expr::Splat(_) | Expr::Selector(..) | Expr::Dot(..) => true,
                Expr::Binary { op, .. } => !matches!(op, BinaryOp::Match | BinaryOp::NotMatch),
                Expr::Paren(inner) => {
                    id = *inner;
                    continue;
                }
                Expr::Block(list) => all(program.list(*list)),
                Expr::If(test, then, other) | Expr::Unless(test, then, other) => {
                    if !all(&[*test, *then]) {
                        return false;
                    }
                    id = *other;
                    continue;
                }
                Expr::Case(test, options) => {
                    self.idem(*test)
                        && program
                            .options(*options)
                            .iter()
                            .all(|o| all(program.list(o.values)) && self.idem(o.then))
                }
                _ => false,
            };
        }
    }

    fn duplicate_default(&mut self, at: ExprId, container: &str) {
        let message =
            format!("This {container} already has a 'default' entry - this is a duplicate");
        self.error_at("DUPLICATE_DEFAULT", at, message);
    }

    fn case(&mut self, test: ExprId, options: ListRef<CaseOption>) {
        self.rvalue(test);
        let program = self.program;
        let values = program.options(options).iter().flat_map(|o| program.list(o.values));
        for &value in values.filter(|&&v| matches!(program[v], Expr::Default)).skip(1) {
            self.duplicate_default(value, "'case' statement");
        }
    }

    fn selector(&mut self, left: ExprId, options: ListRef<CaseOption>) {
        self.rvalue(left);
        let program = self.program;
        let values = program.options(options).iter().flat_map(|o| program.list(o.values));
        let mut defaults = values.filter(|&&v| matches!(program[v], Expr::Default));
        if let Some(&second) = defaults.nth(1) {
            self.duplicate_default(second, "Selector Expression");
        }
    }

    fn call(&mut self, id: ExprId, call: &Call) {
        if call.form == CallForm::Method {
            return;
        }
        let program = self.program;
        match &program[call.callee] {
            Expr::Name(_) | Expr::Ref(_) => {}
            Expr::Access(list)
                if program
                    .list(*list)
                    .first()
                    .is_some_and(|&f| matches!(program[f], Expr::Ref(_))) => {}
            Expr::RenderText(_) => {
                let message = "Ambiguous EPP parameter expression. Probably missing '<%-' before \
                               parameters to remove leading whitespace";
                self.error_at("ILLEGAL_EPP_PARAMETERS", id, message);
            }
            _ => self.illegal_expression(call.callee, "function name", id),
        }
    }

    fn lambda(&mut self, id: ExprId, lambda: &Lambda) {
        self.capture_last(lambda.params);
        if let Some(returns) = lambda.returns {
            self.type_reference(id, returns);
        }
    }

    /// `+>` is for overrides.
    fn attribute(&mut self, attribute: &Attribute) {
        if attribute.op == AttributeOp::Append {
            let parent = self.path.last().copied().unwrap_or(Node::Program);
            let overrides = match parent {
                Node::Expr(id) => {
                    matches!(self.program[id], Expr::Collect { .. } | Expr::ResourceOverride { .. })
                }
                _ => false,
            };
            if !overrides {
                let message = format!(
                    "Illegal +> operation on attribute {}. This operator can not be used in {}",
                    attribute.name,
                    a_an(&node_label(self.program, parent))
                );
                self.error("ILLEGAL_ATTRIBUTE_APPEND", attribute.range, message);
            }
        }
        self.rvalue(attribute.value);
    }

    fn resource_body(&mut self, attributes: ListRef<Attribute>) {
        let splats = self.program.attributes(attributes).iter();
        let repeated: Vec<TextRange> =
            splats.filter(|a| a.op == AttributeOp::Splat).skip(1).map(|a| a.range).collect();
        for at in repeated {
            let message =
                "Unfolding of attributes from Hash can only be used once per resource body";
            self.error("MULTIPLE_ATTRIBUTES_UNFOLD", at, message);
        }
    }

    /// Queries know little: comparisons for equality, `and`, `or`, and simple values.
    fn query(&mut self, query: ExprId) {
        let mut rest = vec![query];
        while let Some(id) = rest.pop() {
            match &self.program[id] {
                Expr::And(left, right) | Expr::Or(left, right) => rest.extend([*right, *left]),
                Expr::Paren(inner) => rest.push(*inner),
                Expr::Binary { op: BinaryOp::Eq | BinaryOp::NotEq, .. } => {}
                Expr::Nop | Expr::Var(_) | Expr::Name(_) | Expr::Int { .. } | Expr::Float(_) => {}
                Expr::Str(_) | Expr::Bool(_) | Expr::RenderText(_) => {}
                _ => {
                    let message = format!(
                        "Illegal query expression. {} cannot be used in a query",
                        a_an_uc(&label(self.program, id))
                    );
                    self.error_at("ILLEGAL_QUERY_EXPRESSION", id, message);
                }
            }
        }
    }
}
