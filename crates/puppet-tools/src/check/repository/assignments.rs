//! Variables that certainly get a second value in their scope.

use ecow::EcoString;
use ordain_source::{Diagnostic, TextRange};
use ordain_syntax::ListRef;
use rustc_hash::FxHashMap;

use crate::check::repository::pass::Pass;
use ordain_puppet::syntax::advice::advise;
use ordain_puppet::syntax::*;
use ordain_puppet::validation::walk::{Node, children};

const ISSUE: &str = "ILLEGAL_REASSIGNMENT";

/// Variables that are predefined in the body of a class or define.
const OF_BODIES: [&str; 2] = ["title", "name"];

/// Finds assignments to variables that have a value.
pub(super) fn check(pass: &mut Pass<'_>) {
    let program = pass.program;
    let mut walk = Walk { program, set: AssignedVariables::default(), found: Vec::new() };
    walk.visit(Node::Expr(program.body));
    for (name, at, first) in walk.found {
        if pass.is_full() {
            return;
        }
        let span = at.in_file(pass.file);
        let found = match first {
            Some(first) => {
                let message = format!("Cannot reassign variable '${name}'");
                let found = Diagnostic::error(code_of(ISSUE), message);
                let found = found.labelled(span, "it has a value already");
                found.related(first.in_file(pass.file), "set here first")
            }
            None => {
                let message =
                    format!("Cannot reassign built in (or already assigned) variable '${name}'");
                Diagnostic::error(code_of(ISSUE), message).at(span)
            }
        };
        pass.found.push(advise(found.issue(ISSUE), Some(&*program.text)));
    }
}

/// The variables of a scope that have a value at some point, on any path to it.
#[derive(Default)]
struct AssignedVariables {
    /// The place of each assignment; `None` for variables that are always set.
    places: FxHashMap<EcoString, Option<TextRange>>,
    /// Their names in the order in which they were set.
    order: Vec<EcoString>,
}

impl AssignedVariables {
    /// The place of the earlier assignment, if there is one. Otherwise the variable is set now.
    fn add(&mut self, name: &EcoString, at: Option<TextRange>) -> Option<Option<TextRange>> {
        if let Some(before) = self.places.get(name) {
            return Some(*before);
        }
        self.places.insert(name.clone(), at);
        self.order.push(name.clone());
        None
    }

    /// Removes the variables that were set after the first `count`.
    fn back_to(&mut self, count: usize) -> FxHashMap<EcoString, Option<TextRange>> {
        let later = self.order.drain(count..);
        later.filter_map(|name| self.places.remove(&name).map(|at| (name, at))).collect()
    }
}

struct Walk<'p> {
    program: &'p Program,
    set: AssignedVariables,
    /// Name, place, and where it was set before.
    found: Vec<(EcoString, TextRange, Option<TextRange>)>,
}

impl Walk<'_> {
    fn visit(&mut self, node: Node) {
        let program = self.program;
        let Node::Expr(id) = node else { return self.below(node) };
        match &program[id] {
            Expr::Definition(definition) => {
                let (params, names) = match program.definition(*definition) {
                    Definition::Class { params, .. } | Definition::Define { params, .. } => {
                        (*params, &OF_BODIES[..])
                    }
                    Definition::Function { params, .. } => (*params, &[][..]),
                    // The code of a type sets features, whose values may change.
                    Definition::TypeDefinition { .. } => return,
                    _ => (ListRef::default(), &[][..]),
                };
                self.scope(node, params, names);
            }
            Expr::Lambda(lambda) => self.scope(node, program.lambda(*lambda).params, &[]),
            Expr::Epp { params, .. } => self.scope(node, *params, &[]),
            Expr::Assign { left, right, .. } => {
                self.visit(Node::Expr(*right));
                self.assign(*left);
            }
            Expr::And(left, right) | Expr::Or(left, right) => {
                self.visit(Node::Expr(*left));
                self.branches([Node::Expr(*right)], false);
            }
            Expr::If(condition, then, other) | Expr::Unless(condition, then, other) => {
                self.visit(Node::Expr(*condition));
                let is_all = !matches!(program[*other], Expr::Nop);
                self.branches([*then, *other].map(Node::Expr), is_all);
            }
            Expr::Case(control, options) => {
                self.visit(Node::Expr(*control));
                let is_default = |id: &ExprId| matches!(program[*id], Expr::Default);
                let mut all = program.options(*options).iter();
                let is_all = all.any(|option| program.list(option.values).iter().any(is_default));
                let nodes = (0..options.len()).map(|i| Node::CaseOption(i, *options));
                self.branches(nodes, is_all);
            }
            Expr::Selector(control, options) => {
                self.visit(Node::Expr(*control));
                let nodes = (0..options.len()).map(|i| Node::SelectorEntry(i, *options));
                self.branches(nodes, false);
            }
            _ => self.below(node),
        }
    }

    fn below(&mut self, node: Node) {
        let mut nodes = Vec::new();
        children(self.program, node, &mut nodes);
        nodes.into_iter().for_each(|node| self.visit(node));
    }

    /// A construct with variables of its own.
    fn scope(&mut self, node: Node, params: ListRef<Param>, names: &[&str]) {
        let around = std::mem::take(&mut self.set);
        for name in names {
            self.set.add(&EcoString::from(*name), None);
        }
        for param in self.program.params(params) {
            self.set.add(&param.name, Some(param.range));
        }
        self.below(node);
        self.set = around;
    }

    /// Branches of which one runs, or perhaps none. A variable that all of them set is set
    /// afterwards.
    fn branches(&mut self, nodes: impl IntoIterator<Item = Node>, is_one_taken: bool) {
        let count = self.set.order.len();
        let mut common: Option<FxHashMap<EcoString, Option<TextRange>>> = None;
        for node in nodes {
            self.visit(node);
            let of_branch = self.set.back_to(count);
            match &mut common {
                None => common = Some(of_branch),
                Some(common) => common.retain(|name, _| of_branch.contains_key(name)),
            }
        }
        let mut common: Vec<_> = common.filter(|_| is_one_taken).into_iter().flatten().collect();
        common.sort_by_key(|(name, at)| (at.map(|at| at.start), name.clone()));
        for (name, at) in common {
            self.set.add(&name, at);
        }
    }

    fn assign(&mut self, left: ExprId) {
        match &self.program[left] {
            Expr::Var(name) if !name.contains(':') => {
                let at = self.program.range(left);
                if let Some(before) = self.set.add(name, Some(at)) {
                    self.found.push((name.clone(), at, before));
                }
            }
            Expr::List(items) => {
                for &item in self.program.list(*items) {
                    self.assign(item);
                }
            }
            _ => {}
        }
    }
}
