//! Walking the tree depth-first, children in the order of the reference's model.

use ordain_source::TextRange;
use ordain_syntax::ListRef;

use crate::syntax::*;

/// A node of the tree: an expression, or a part that is not an expression.
#[derive(Clone, Copy, Debug)]
pub enum Node {
    /// The program itself.
    Program,
    /// An expression.
    Expr(ExprId),
    /// The parameter at an index of a list.
    Param(usize, ListRef<Param>),
    /// The attribute at an index of a list.
    Attribute(usize, ListRef<Attribute>),
    /// The resource body at an index of a list.
    Body(usize, ListRef<ResourceBody>),
    /// The option at an index of a case.
    CaseOption(usize, ListRef<CaseOption>),
    /// The entry at an index of a selector.
    SelectorEntry(usize, ListRef<CaseOption>),
    /// Key and value of a hash.
    Entry(ExprId, ExprId),
    /// The query of a collector.
    Query(ExprId),
    /// The body of a template, below its parameters.
    EppBody(ExprId),
}

/// The children of a node, in order. Missing parts are left out.
pub fn children(program: &Program, node: Node, out: &mut Vec<Node>) {
    match node {
        Node::Program => out.push(Node::Expr(program.body)),
        Node::Expr(id) => expr_children(program, id, out),
        Node::Param(i, list) => {
            let param = &program.params(list)[i];
            out.extend([param.default, param.kind].into_iter().flatten().map(Node::Expr));
        }
        Node::Attribute(i, list) => out.push(Node::Expr(program.attributes(list)[i].value)),
        Node::Body(i, list) => {
            let body = &program.bodies(list)[i];
            out.push(Node::Expr(body.title));
            attributes(body.attributes, out);
        }
        Node::CaseOption(i, list) => {
            let option = &program.options(list)[i];
            exprs(program.list(option.values), out);
            present(program, option.then, out);
        }
        Node::SelectorEntry(i, list) => {
            let option = &program.options(list)[i];
            exprs(program.list(option.values), out);
            out.push(Node::Expr(option.then));
        }
        Node::Entry(key, value) => out.extend([Node::Expr(key), Node::Expr(value)]),
        Node::Query(query) => present(program, query, out),
        Node::EppBody(body) => present(program, body, out),
    }
}

fn exprs(ids: &[ExprId], out: &mut Vec<Node>) {
    out.extend(ids.iter().map(|&id| Node::Expr(id)));
}

/// Adds a part unless it is missing.
fn present(program: &Program, id: ExprId, out: &mut Vec<Node>) {
    if !matches!(program[id], Expr::Nop) {
        out.push(Node::Expr(id));
    }
}

fn attributes(list: ListRef<Attribute>, out: &mut Vec<Node>) {
    out.extend((0..list.len()).map(|i| Node::Attribute(i, list)));
}

fn params(list: ListRef<Param>, out: &mut Vec<Node>) {
    out.extend((0..list.len()).map(|i| Node::Param(i, list)));
}

fn expr_children(program: &Program, id: ExprId, out: &mut Vec<Node>) {
    match &program[id] {
        Expr::Concat(list) | Expr::List(list) | Expr::Access(list) | Expr::Block(list) => {
            exprs(program.list(*list), out);
        }
        Expr::Hash(list) => {
            let pairs = program.list(*list).chunks_exact(2);
            out.extend(pairs.map(|p| Node::Entry(p[0], p[1])));
        }
        Expr::Text(a) | Expr::Not(a) | Expr::Minus(a) | Expr::Splat(a) | Expr::Paren(a) => {
            out.push(Node::Expr(*a));
        }
        Expr::Render(a) | Expr::Heredoc { text: a, .. } => out.push(Node::Expr(*a)),
        Expr::Binary { left, right, .. }
        | Expr::Assign { left, right, .. }
        | Expr::Relation { left, right, .. } => exprs(&[*left, *right], out),
        Expr::And(left, right) | Expr::Or(left, right) | Expr::Dot(left, right) => {
            exprs(&[*left, *right], out);
        }
        Expr::If(test, then, other) | Expr::Unless(test, then, other) => {
            out.push(Node::Expr(*test));
            present(program, *then, out);
            present(program, *other, out);
        }
        Expr::Case(test, options) => {
            out.push(Node::Expr(*test));
            out.extend((0..options.len()).map(|i| Node::CaseOption(i, *options)));
        }
        Expr::Selector(left, options) => {
            out.push(Node::Expr(*left));
            out.extend((0..options.len()).map(|i| Node::SelectorEntry(i, *options)));
        }
        Expr::Call(call) => {
            let call = program.call(*call);
            if call.form == CallForm::Named {
                out.push(Node::Expr(call.callee));
            }
            exprs(program.list(call.args), out);
            out.extend(call.lambda.map(Node::Expr));
        }
        _ => declaration_children(program, id, out),
    }
}

/// The children of declarations and of expressions with parameters.
fn declaration_children(program: &Program, id: ExprId, out: &mut Vec<Node>) {
    match &program[id] {
        Expr::Lambda(lambda) => {
            let lambda = program.lambda(*lambda);
            params(lambda.params, out);
            present(program, lambda.body, out);
            out.extend(lambda.returns.map(Node::Expr));
        }
        Expr::Resource { kind, bodies, .. } => {
            out.push(Node::Expr(*kind));
            out.extend((0..bodies.len()).map(|i| Node::Body(i, *bodies)));
        }
        Expr::ResourceDefaults { kind, attributes: list, .. }
        | Expr::ResourceOverride { resources: kind, attributes: list, .. } => {
            out.push(Node::Expr(*kind));
            attributes(*list, out);
        }
        Expr::Collect { kind, query, attributes: list, .. } => {
            out.extend([Node::Expr(*kind), Node::Query(*query)]);
            attributes(*list, out);
        }
        Expr::Definition(definition) => {
            definition_children(program, program.definition(*definition), out);
        }
        Expr::Invariant { title, body } => {
            present(program, *title, out);
            present(program, *body, out);
        }
        Expr::Epp { params: list, body, .. } => {
            params(*list, out);
            out.push(Node::EppBody(*body));
        }
        _ => {}
    }
}

fn definition_children(program: &Program, definition: &Definition, out: &mut Vec<Node>) {
    match definition {
        Definition::Class { params: list, body, .. }
        | Definition::Define { params: list, body, .. } => {
            params(*list, out);
            present(program, *body, out);
        }
        Definition::Function { params: list, returns, body, .. } => {
            params(*list, out);
            present(program, *body, out);
            out.extend(returns.map(Node::Expr));
        }
        Definition::Node { matches, parent, body } => {
            out.extend(parent.map(Node::Expr));
            exprs(program.list(*matches), out);
            present(program, *body, out);
        }
        Definition::TypeAlias { kind, .. } => out.push(Node::Expr(*kind)),
        Definition::TypeMapping { kind, mapping } => exprs(&[*kind, *mapping], out),
        Definition::TypeDefinition { statements, .. } => {
            for statement in program.type_statements(*statements) {
                type_statement_children(program, &statement.kind, out);
            }
        }
    }
}

fn type_statement_children(program: &Program, statement: &TypeStatementKind, out: &mut Vec<Node>) {
    match statement {
        TypeStatementKind::Feature(feature) => {
            out.extend(feature.kind.map(Node::Expr));
            for setting in program.settings(feature.settings) {
                present(program, setting.value, out);
            }
        }
        TypeStatementKind::Invariant { title, body, .. } => {
            out.extend(title.map(Node::Expr));
            present(program, *body, out);
        }
        TypeStatementKind::Function { lambda, .. } => out.push(Node::Expr(*lambda)),
        TypeStatementKind::TitlePatterns { value, .. }
        | TypeStatementKind::Annotations { value, .. } => out.push(Node::Expr(*value)),
        TypeStatementKind::Abstract => {}
    }
}

/// The place of a hash entry is that of its arrow.
pub(super) fn entry_place(program: &Program, value: ExprId) -> TextRange {
    let index = program.arrows.binary_search_by_key(&value.raw(), |(id, _)| id.raw());
    match index {
        Ok(i) => {
            let at = program.arrows[i].1;
            TextRange::new(at, at + 2)
        }
        Err(_) => program.range(value),
    }
}
