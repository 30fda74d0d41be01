//! Walks over the tree of a template.

use super::ast::{ArgumentNodes, Expr, Node, Target};

/// Visits the expressions of arguments.
pub(super) fn arguments<'a>(found: &'a ArgumentNodes, visit: &mut dyn FnMut(&'a Expr)) {
    found.positional.iter().for_each(&mut *visit);
    found.named.iter().for_each(|(_, value)| visit(value));
    found.rest.iter().chain(&found.keywords).for_each(|value| visit(value));
}

/// Visits the direct parts of an expression.
pub(super) fn children<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    match expr {
        Expr::Name(_) | Expr::NamespaceItem(..) | Expr::Const(_) => {}
        Expr::List(items) | Expr::Tuple(items) | Expr::Concat(items, _) => {
            items.iter().for_each(visit);
        }
        Expr::Dict(items) => {
            for (key, value) in items {
                visit(key);
                visit(value);
            }
        }
        Expr::Attribute(value, _)
        | Expr::Not(value)
        | Expr::Negative(value)
        | Expr::Positive(value) => visit(value),
        Expr::Item(a, b) | Expr::And(a, b) | Expr::Or(a, b) | Expr::Binary(_, a, b) => {
            visit(a);
            visit(b);
        }
        Expr::Slice(start, stop, step) => {
            [start, stop, step].into_iter().flatten().for_each(|value| visit(value));
        }
        Expr::Call(call) => {
            visit(&call.callee);
            arguments(&call.arguments, visit);
        }
        Expr::Filter(found) | Expr::Test(found) => {
            found.value.iter().for_each(&mut *visit);
            arguments(&found.arguments, visit);
        }
        Expr::Compare(first, rest) => {
            visit(first);
            rest.iter().for_each(|(_, value)| visit(value));
        }
        Expr::Conditional { test, then, otherwise, .. } => {
            visit(test);
            visit(then);
            otherwise.iter().for_each(|value| visit(value));
        }
    }
}

/// Whether Jinja evaluates an expression at compile time.
pub(super) fn is_constant(expr: &Expr) -> bool {
    let is_plain = match expr {
        Expr::Name(_) | Expr::NamespaceItem(..) | Expr::Call(_) => false,
        Expr::Filter(found) => {
            let asks_context = ["map", "select", "reject", "selectattr", "rejectattr", "random"];
            !asks_context.contains(&found.name.as_str()) && super::filters::is_own(&found.name)
        }
        _ => true,
    };
    let mut result = is_plain;
    children(expr, &mut |child| result = result && is_constant(child));
    result
}

/// Visits the names that an expression reads.
pub(super) fn loaded(expr: &Expr, visit: &mut dyn FnMut(&str)) {
    if let Expr::Name(name) = expr {
        visit(name);
    }
    children(expr, &mut |child| loaded(child, visit));
}

/// Whether a target assigns a name.
pub(super) fn stores(target: &Target, name: &str) -> bool {
    match target {
        Target::Name(found) => found == name,
        Target::Attribute(..) => false,
        Target::Tuple(items) => items.iter().any(|item| stores(item, name)),
    }
}

/// The statements directly inside a statement.
fn inner(node: &Node) -> Vec<&[Node]> {
    match node {
        Node::For(found) => vec![&found.body, &found.otherwise],
        Node::If { branches, otherwise } => {
            let bodies = branches.iter().map(|(_, body)| &body[..]);
            bodies.chain([&otherwise[..]]).collect()
        }
        Node::Macro(found) | Node::CallBlock { body: found, .. } => vec![&found.body],
        Node::FilterBlock { body, .. }
        | Node::With { body, .. }
        | Node::AssignBlock { body, .. }
        | Node::Autoescape { body, .. } => vec![body],
        _ => Vec::new(),
    }
}

fn any(nodes: &[Node], is_wanted: &dyn Fn(&Node) -> bool) -> bool {
    nodes
        .iter()
        .any(|node| is_wanted(node) || inner(node).into_iter().any(|nodes| any(nodes, is_wanted)))
}

/// Whether a template extends another.
pub(super) fn has_extends(nodes: &[Node]) -> bool {
    any(nodes, &|node| matches!(node, Node::Extends(_)))
}

/// Whether there is a `scoped` block.
pub(super) fn has_scoped_block(nodes: &[Node]) -> bool {
    any(nodes, &|node| matches!(node, Node::Block { is_scoped: true, .. }))
}

/// Whether a target with a property is assigned.
pub(super) fn any_target(nodes: &[Node], is_wanted: &dyn Fn(&Target) -> bool) -> bool {
    any(nodes, &|node| match node {
        Node::For(found) => is_wanted(&found.target),
        Node::Assign { target, .. } | Node::AssignBlock { target, .. } => is_wanted(target),
        _ => false,
    })
}

/// The names that are read before they are assigned, in source order.
pub(super) fn undeclared<'n>(nodes: &[Node], names: &[&'n str]) -> Vec<&'n str> {
    let mut search = Search { names: names.to_vec(), found: Vec::new() };
    search.nodes(nodes);
    search.found
}

struct Search<'n> {
    names: Vec<&'n str>,
    found: Vec<&'n str>,
}

impl Search<'_> {
    fn expr(&mut self, expr: &Expr) {
        loaded(expr, &mut |name| {
            if let Some(found) = self.names.iter().find(|wanted| **wanted == name)
                && !self.found.contains(found)
            {
                self.found.push(found);
            }
        });
    }

    fn target(&mut self, target: &Target) {
        match target {
            Target::Name(name) => self.names.retain(|wanted| wanted != name),
            Target::Attribute(..) => {}
            Target::Tuple(items) => items.iter().for_each(|item| self.target(item)),
        }
    }

    fn nodes(&mut self, nodes: &[Node]) {
        nodes.iter().for_each(|node| self.node(node));
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Data(_) | Node::Block { .. } => {}
            Node::Output(values, _) => values.iter().for_each(|value| self.expr(value)),
            Node::For(found) => {
                self.target(&found.target);
                self.expr(&found.items);
                self.nodes(&found.body);
                self.nodes(&found.otherwise);
                found.test.iter().for_each(|test| self.expr(test));
            }
            Node::If { branches, otherwise } => {
                for (test, body) in branches {
                    self.expr(test);
                    self.nodes(body);
                }
                self.nodes(otherwise);
            }
            Node::Macro(found) => self.callable(found),
            Node::CallBlock { call, body, .. } => {
                self.expr(&call.callee);
                arguments(&call.arguments, &mut |value| self.expr(value));
                self.callable(body);
            }
            Node::FilterBlock { filters, body, .. } => {
                self.nodes(body);
                self.expr(filters);
            }
            Node::With { targets, values, body, .. } => {
                targets.iter().for_each(|target| self.target(target));
                values.iter().for_each(|value| self.expr(value));
                self.nodes(body);
            }
            Node::Extends(value)
            | Node::Include { template: value, .. }
            | Node::Import { template: value, .. }
            | Node::FromImport { template: value, .. } => self.expr(value),
            Node::Assign { target, value } => {
                self.target(target);
                self.expr(value);
            }
            Node::AssignBlock { target, filters, body, .. } => {
                self.target(target);
                filters.iter().for_each(|filters| self.expr(filters));
                self.nodes(body);
            }
            Node::Autoescape { value, body, .. } => {
                self.expr(value);
                self.nodes(body);
            }
        }
    }

    fn callable(&mut self, found: &super::ast::Macro) {
        self.names.retain(|wanted| !found.arguments.iter().any(|name| name == wanted));
        found.defaults.iter().for_each(|value| self.expr(value));
        self.nodes(&found.body);
    }
}
