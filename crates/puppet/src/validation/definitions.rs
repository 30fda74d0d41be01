//! The rules for definitions and parameters.

use ordain_source::{Diagnostic, TextRange};
use ordain_syntax::ListRef;
use rustc_hash::FxHashSet;

use super::checker::Checker;
use super::label::{a_an, a_an_uc, label};
use super::literal::literal;
use super::names;
use super::walk::{Node, children};
use crate::schema::is_metaparameter;
use crate::syntax::*;
use crate::types::builtin;

/// Parameters of classes and defines with the name of a metaparameter. The reference checks this
/// when it registers the definitions of a text that is otherwise valid. With a default it warns;
/// without one the text cannot be used.
pub fn metaparameters(program: &Program) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for &id in &program.definitions {
        let Expr::Definition(definition) = &program[id] else { continue };
        let (Definition::Class { name, params, .. } | Definition::Define { name, params, .. }) =
            program.definition(*definition)
        else {
            continue;
        };
        for param in program.params(*params).iter().filter(|p| is_metaparameter(&p.name)) {
            let (code, what) = (code_of("METAPARAMETER_NAME"), &param.name);
            let diagnostic = if param.default.is_some() {
                let message = format!(
                    "{what} is a metaparam; this value will inherit to all contained resources in \
                     the {name} definition"
                );
                Diagnostic::warning(code, message)
            } else {
                let message = format!(
                    "{what} is a metaparameter; please choose another parameter name in the \
                     {name} definition"
                );
                Diagnostic::error(code, message)
            };
            found.push(diagnostic.at(param.range.in_file(program.file)));
        }
    }
    found
}

impl Checker<'_> {
    pub(super) fn definition(&mut self, id: ExprId, definition: &Definition) {
        match definition {
            Definition::Class { name, params, body, .. } => {
                self.named(id, name);
                self.class_like_params(id, *params);
                self.no_idem_last(id, *body);
                self.literal_types(*params);
            }
            Definition::Define { name, params, body } => {
                self.named(id, name);
                self.class_like_params(id, *params);
                self.no_idem_last(id, *body);
            }
            Definition::Function { name, params, returns, .. } => {
                self.named(id, name);
                if let Some(returns) = returns {
                    self.type_reference(id, *returns);
                }
                self.unique_params(*params);
            }
            Definition::Node { matches, parent, body } => self.node(id, *matches, *parent, *body),
            Definition::TypeAlias { name, kind } => {
                self.top(id);
                if !names::is_alias(name) {
                    self.bad_name(id, name);
                }
                self.reserved_name(id, name);
                self.type_reference(id, *kind);
            }
            Definition::TypeMapping { kind, mapping } => self.type_mapping(id, *kind, *mapping),
            Definition::TypeDefinition { name, statements, .. } => {
                self.top(id);
                if !names::is_alias(name) {
                    self.bad_name(id, name);
                }
                self.in_namespace(id, name);
                if builtin(name.trim_start_matches("::")).is_some() {
                    self.taken_name(id, name);
                }
                self.type_body(name, *statements);
            }
        }
    }

    /// The common checks of classes, defines and functions.
    fn named(&mut self, id: ExprId, name: &str) {
        self.top(id);
        if !names::is_definition(name) {
            self.bad_name(id, name);
        }
        self.in_namespace(id, name);
        self.reserved_name(id, name);
        self.future_word(id, name);
    }

    fn bad_name(&mut self, id: ExprId, name: &str) {
        let message = format!(
            "Unacceptable name. The name '{name}' is unacceptable as the name of {}",
            a_an(&label(self.program, id))
        );
        self.error_at("ILLEGAL_DEFINITION_NAME", id, message);
    }

    fn reserved_name(&mut self, id: ExprId, name: &str) {
        if names::RESERVED_TYPES.contains(&name) {
            self.taken_name(id, name);
        }
    }

    fn taken_name(&mut self, id: ExprId, name: &str) {
        let message = format!(
            "The name: '{name}' is already defined by Puppet and can not be used as the name of {}.",
            a_an(&label(self.program, id))
        );
        self.error_at("RESERVED_TYPE_NAME", id, message);
    }

    fn future_word(&mut self, id: ExprId, name: &str) {
        if name == "plan" {
            let message = format!("Use of future reserved word: '{name}'");
            self.warning("FUTURE_RESERVED_WORD", self.program.range(id), message);
        }
    }

    fn unsupported(&mut self, id: ExprId) {
        let message = format!(
            "Expressions of type {} are not supported in this version of OpenVox",
            a_an(&label(self.program, id))
        );
        self.error_at("UNSUPPORTED_EXPRESSION", id, message);
    }

    /// Checks that definitions are at top level; classes and defines may also be in classes.
    fn top(&mut self, id: ExprId) {
        let absolute = match &self.program[id] {
            Expr::Definition(definition) => matches!(
                self.program.definition(*definition),
                Definition::Function { .. }
                    | Definition::TypeAlias { .. }
                    | Definition::TypeDefinition { .. }
            ),
            _ => false,
        };
        let mut around = self.path.iter().rev().peekable();
        while let Some(&node) = around.next() {
            let expr = match node {
                Node::Program => return,
                Node::Expr(around) => &self.program[around],
                _ => break,
            };
            match expr {
                Expr::Definition(d)
                    if matches!(self.program.definition(*d), Definition::Class { .. }) =>
                {
                    return;
                }
                Expr::Block(_) => {
                    let in_program = matches!(around.peek(), Some(Node::Program) | None);
                    if absolute && !in_program {
                        let what = a_an_uc(&label(self.program, id));
                        let message = format!("{what} may only appear at toplevel");
                        self.error_at("NOT_ABSOLUTE_TOP_LEVEL", id, message);
                        return;
                    }
                }
                _ => break,
            }
        }
        let message =
            "Classes, definitions, and nodes may only appear at toplevel or inside other classes";
        self.error_at("NOT_TOP_LEVEL", id, message);
    }

    fn in_namespace(&mut self, id: ExprId, name: &str) {
        let Some(file) = &self.options.module_file else { return };
        let fits = |space: &String| name.to_lowercase().starts_with(space.as_str());
        if file.namespace.as_ref().is_some_and(fits) {
            return;
        }
        let message = format!(
            "Unacceptable location. The name '{name}' is unacceptable in file '{}'",
            file.path
        );
        self.error_at("ILLEGAL_DEFINITION_LOCATION", id, message);
    }

    /// Checks that a module's file has only definitions, and no nodes.
    pub(super) fn top_constructs_in_module(&mut self) {
        if self.options.module_file.is_none() {
            return;
        }
        let body = self.program.body;
        let single = [body];
        let constructs = match self.program[body] {
            Expr::Nop => return,
            Expr::Block(list) => self.program.list(list),
            _ => &single,
        };
        for &id in constructs {
            let definition = match &self.program[id] {
                Expr::Definition(d) => Some(self.program.definition(*d)),
                _ => None,
            };
            if definition.is_some_and(|d| !matches!(d, Definition::Node { .. })) {
                continue;
            }
            let what = label(self.program, id);
            let message =
                format!("This {what} is unacceptable as a top level construct in this location");
            self.error_at("ILLEGAL_TOP_CONSTRUCT_LOCATION", id, message);
        }
    }

    fn class_like_params(&mut self, id: ExprId, params: ListRef<Param>) {
        self.no_capture(params, &label(self.program, id));
        self.unique_params(params);
        for param in self.program.params(params) {
            if matches!(param.name.as_str(), "name" | "title") {
                let message = format!(
                    "The parameter ${} redefines a built in parameter in the {}",
                    param.name,
                    label(self.program, id)
                );
                self.error("RESERVED_PARAMETER", param.range, message);
            }
        }
    }

    fn no_capture(&mut self, params: ListRef<Param>, container: &str) {
        for param in self.program.params(params) {
            if param.captures_rest {
                let message = format!(
                    "Parameter ${} has 'captures rest' - not supported in {}",
                    param.name,
                    a_an(container)
                );
                self.error("CAPTURES_REST_NOT_SUPPORTED", param.range, message);
            }
        }
    }

    pub(super) fn capture_last(&mut self, params: ListRef<Param>) {
        let Some((_, before)) = self.program.params(params).split_last() else { return };
        for param in before.iter().filter(|p| p.captures_rest) {
            let message = format!("Parameter ${} is not last, and has 'captures rest'", param.name);
            self.error("CAPTURES_REST_NOT_LAST", param.range, message);
        }
    }

    fn unique_params(&mut self, params: ListRef<Param>) {
        let mut seen = FxHashSet::default();
        for param in self.program.params(params) {
            if !seen.insert(param.name.as_str()) {
                let message = format!(
                    "The parameter '{}' is declared more than once in the parameter list",
                    param.name
                );
                self.error("DUPLICATE_PARAMETER", param.range, message);
            }
        }
    }

    /// The parameters of a template, once its body is reached.
    pub(super) fn epp_params(&mut self) {
        let Some(&Node::Expr(id)) = self.path.last() else { return };
        let Expr::Epp { params, .. } = self.program[id] else { return };
        self.no_capture(params, "Epp Template");
        self.unique_params(params);
    }

    fn literal_types(&mut self, params: ListRef<Param>) {
        for param in self.program.params(params) {
            let Some(kind) = param.kind else { continue };
            if literal(self.program, kind).is_none() {
                let message = format!(
                    "The parameter '${}' must be a literal type, not a \
                     Puppet::Pops::Model::AccessExpression",
                    param.name
                );
                self.warning("ILLEGAL_NONLITERAL_PARAMETER_TYPE", param.range, message);
            }
        }
    }

    /// The body of a class, define or node may not end in a mere value.
    fn no_idem_last(&mut self, id: ExprId, body: ExprId) {
        let last = match self.program[body] {
            Expr::Nop => return,
            Expr::Block(list) => match self.program.list(list).last() {
                Some(&last) => last,
                None => return,
            },
            _ => body,
        };
        if !self.idem(last) || self.is_untitled_resource(last) {
            return;
        }
        let message = format!(
            "This {} has no effect. {} can not end with a value-producing expression without \
             other effect",
            label(self.program, last),
            a_an_uc(&label(self.program, id))
        );
        self.error_at("IDEM_NOT_ALLOWED_LAST", last, message);
    }

    /// A type, or a type with arguments.
    pub(super) fn type_reference(&mut self, id: ExprId, kind: ExprId) {
        let program = self.program;
        let head = match &program[kind] {
            Expr::Access(list) => program.list(*list).first().copied().unwrap_or(kind),
            _ => kind,
        };
        match &program[head] {
            Expr::Ref(name) => self.future_word(kind, &name.to_lowercase()),
            _ => self.illegal_expression(kind, "a type reference", id),
        }
    }

    fn type_mapping(&mut self, id: ExprId, kind: ExprId, mapping: ExprId) {
        self.top(id);
        let program = self.program;
        let is_replacement = |id: ExprId| match &program[id] {
            Expr::List(list) => matches!(
                program.list(*list),
                [a, b] if matches!(program[*a], Expr::Regex(_)) && matches!(program[*b], Expr::Str(_))
            ),
            _ => false,
        };
        let args = match &program[kind] {
            Expr::Access(list) => program.list(*list),
            _ => &[],
        };
        let is_runtime = args
            .first()
            .is_some_and(|&f| matches!(&program[f], Expr::Ref(name) if name == "Runtime"));
        if !is_runtime {
            self.unsupported(id);
            return;
        }
        let by_pattern = args.len() == 3 && is_replacement(args[2]);
        let to_type = match &program[mapping] {
            Expr::Ref(_) => true,
            Expr::Access(list) => {
                program.list(*list).first().is_some_and(|&f| matches!(program[f], Expr::Ref(_)))
            }
            _ => false,
        };
        let good = if by_pattern { is_replacement(mapping) } else { to_type };
        if !good {
            let expected = if by_pattern { "Tuple[Regexp,String]" } else { "Type" };
            let message = format!(
                "Illegal type mapping. Expected a {expected} on the left side, got {}",
                a_an_uc(&label(program, id))
            );
            self.error_at("ILLEGAL_TYPE_MAPPING", id, message);
        }
    }

    fn node(&mut self, id: ExprId, matches: ExprList, parent: Option<ExprId>, body: ExprId) {
        for &host in self.program.list(matches) {
            self.hostname(id, host);
        }
        self.top(id);
        self.no_idem_last(id, body);
        if let Some(parent) = parent {
            let message = "Node inheritance is not supported in Puppet >= 4.0.0. See \
                           http://links.puppet.com/puppet-node-inheritance-deprecation";
            self.error_at("ILLEGAL_NODE_INHERITANCE", parent, message);
        }
    }

    fn hostname(&mut self, node: ExprId, host: ExprId) {
        let program = self.program;
        match &program[host] {
            Expr::Str(name) if !names::is_hostname(name) => {
                let message = format!(
                    "The hostname '{name}' contains illegal characters (only letters, digits, \
                     '_', '-', and '.' are allowed)"
                );
                self.error_at("ILLEGAL_HOSTNAME_CHARS", host, message);
            }
            Expr::Concat(list) => {
                let inner = program.list(*list).iter().find_map(|&part| match program[part] {
                    Expr::Text(inner) => Some(inner),
                    _ => None,
                });
                let message = "An interpolated expression is not allowed in a hostname of a node";
                self.error_at("ILLEGAL_HOSTNAME_INTERPOLATION", inner.unwrap_or(host), message);
            }
            Expr::Heredoc { .. } => self.illegal_expression(host, "hostname", node),
            _ => {}
        }
    }

    pub(super) fn param(&mut self, i: usize, list: ListRef<Param>) {
        let param = &self.program.params(list)[i];
        let name = &param.name;
        if names::is_numeric_parameter(name) {
            let message = format!(
                "The numeric parameter name '${name}' cannot be used (clashes with numeric match \
                 result variables)"
            );
            self.error("ILLEGAL_NUMERIC_PARAMETER", param.range, message);
        }
        if !names::is_parameter(name) {
            let message = format!(
                "Illegal parameter name. The given name '{name}' does not conform to the naming \
                 rule /^[a-z_]\\w*$/"
            );
            self.error("ILLEGAL_PARAM_NAME", param.range, message);
        }
        if let Some(default) = param.default {
            self.no_assignments(default);
        }
    }

    /// Defaults assign nothing, except in lambdas.
    fn no_assignments(&mut self, root: ExprId) {
        let mut rest = vec![Node::Expr(root)];
        let mut below = Vec::new();
        while let Some(node) = rest.pop() {
            if let Node::Expr(id) = node {
                match self.program[id] {
                    Expr::Assign { .. } => {
                        let at: TextRange = self.program.range(id);
                        self.error("ILLEGAL_ASSIGNMENT_CONTEXT", at, "Assignment not allowed here");
                        continue;
                    }
                    Expr::Lambda(_) => continue,
                    _ => {}
                }
            }
            below.clear();
            children(self.program, node, &mut below);
            rest.extend(below.drain(..).rev());
        }
    }
}
