//! Checks the code of types, which computes values and changes nothing. Elements of a value are
//! assigned only in initialisers.

use ecow::EcoString;
use ordain_source::TextRange;
use rustc_hash::FxHashSet;

use super::checker::Checker;
use super::label::label;
use super::names::is_number;
use super::pure::{is_impure_builtin, is_pure};
use super::walk::{Node, children};
use crate::syntax::*;

/// The purpose of a piece of code in a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// `check`
    Check,
    /// `set`
    Set,
    /// `get`
    Get,
    /// `derived`
    Derived,
    /// `invariant`
    Invariant,
    /// `function`
    Function,
}

/// The variables that code reads and neither sets nor has as parameters, of those without a scope.
pub(crate) fn free_variables(program: &Program, root: ExprId) -> Vec<(ExprId, &EcoString)> {
    let mut declared: FxHashSet<&EcoString> = FxHashSet::default();
    let mut targets: FxHashSet<ExprId> = FxHashSet::default();
    let mut read = Vec::new();
    let mut rest = vec![Node::Expr(root)];
    let mut below = Vec::new();
    while let Some(node) = rest.pop() {
        if let Node::Expr(id) = node {
            match &program[id] {
                Expr::Lambda(lambda) => {
                    let params = program.params(program.lambda(*lambda).params);
                    declared.extend(params.iter().map(|param| &param.name));
                }
                Expr::Assign { left, .. } => {
                    let several = match program[*left] {
                        Expr::List(items) => program.list(items),
                        _ => std::slice::from_ref(left),
                    };
                    for &target in several {
                        if let Expr::Var(name) = &program[target] {
                            declared.insert(name);
                            targets.insert(target);
                        }
                    }
                }
                Expr::Var(name) if !name.contains("::") => read.push((id, name)),
                _ => {}
            }
        }
        below.clear();
        children(program, node, &mut below);
        rest.extend(below.drain(..).rev());
    }
    read.retain(|(id, name)| !targets.contains(id) && !declared.contains(name) && !is_number(name));
    read
}

impl Checker<'_> {
    /// Checks the code of a setting or an invariant. Setters may assign features.
    pub(super) fn logic(&mut self, root: ExprId, role: Role, features: &FxHashSet<&str>) {
        let program = self.program;
        let mut rest = vec![Node::Expr(root)];
        let mut below = Vec::new();
        while let Some(node) = rest.pop() {
            if let Node::Expr(id) = node
                && let Some((at, what)) = self.illegal(id, role, features)
            {
                let message = format!("This {what} is not allowed in the logic of a type");
                self.error("TYPE_ILLEGAL_LOGIC", at, message);
                continue;
            }
            below.clear();
            children(program, node, &mut below);
            rest.extend(below.drain(..).rev());
        }
    }

    /// The place and the name of an expression that code of a type may not contain.
    fn illegal(
        &self,
        id: ExprId,
        role: Role,
        features: &FxHashSet<&str>,
    ) -> Option<(TextRange, String)> {
        let program = self.program;
        let range = program.range(id);
        match &program[id] {
            Expr::Resource { .. }
            | Expr::ResourceDefaults { .. }
            | Expr::ResourceOverride { .. }
            | Expr::Collect { .. }
            | Expr::Relation { .. }
            | Expr::Definition(_)
            | Expr::Invariant { .. }
            | Expr::Epp { .. }
            | Expr::Render(_)
            | Expr::RenderText(_) => Some((range, label(program, id).into_owned())),
            Expr::Var(name) if name.contains("::") => {
                Some((range, format!("variable of another scope, ${name},")))
            }
            Expr::Assign { left, .. } => {
                let name = self.assigned(*left, role, features)?;
                Some((program.range(*left), format!("assignment to ${name}")))
            }
            Expr::Call(call) => {
                let call = program.call(*call);
                let Expr::Name(name) = &program[call.callee] else { return None };
                let more =
                    program.list(call.args).len() > 1 || call.lambda.is_some() || call.parens;
                let is_call = match call.form {
                    CallForm::Named => true,
                    // It may be a function of a type, which computes.
                    CallForm::Method => is_impure_builtin(name) || (more && name.contains("::")),
                };
                (is_call && !is_pure(name)).then(|| (range, format!("call of '{name}'")))
            }
            _ => None,
        }
    }

    /// The name of a variable that code of a role may not assign.
    fn assigned(&self, left: ExprId, role: Role, features: &FxHashSet<&str>) -> Option<String> {
        match &self.program[left] {
            Expr::Var(name) => {
                let name = name.as_str();
                let refused =
                    matches!(name, "it" | "meta") || (role != Role::Set && features.contains(name));
                refused.then(|| name.to_owned())
            }
            Expr::List(targets) => {
                let mut targets = self.program.list(*targets).iter();
                targets.find_map(|&target| self.assigned(target, role, features))
            }
            _ => None,
        }
    }

    /// Whether `$x[k]` is in the lambda of a `new` whose parameter is `$x`.
    pub(super) fn is_initialising(&self, left: ExprId) -> bool {
        let program = self.program;
        let Expr::Access(parts) = program[left] else { return false };
        let &[target, _] = program.list(parts) else { return false };
        let Expr::Var(name) = &program[target] else { return false };
        for (i, node) in self.path.iter().enumerate().rev() {
            let Node::Expr(id) = node else { continue };
            let Expr::Lambda(lambda) = program[*id] else { continue };
            let mut params = program.params(program.lambda(lambda).params).iter();
            let Some(at) = params.position(|p| p.name == *name) else { continue };
            return at == 0 && i.checked_sub(1).is_some_and(|i| self.makes(self.path[i]));
        }
        false
    }

    /// Whether this is a call of `new`, or of a type.
    fn makes(&self, node: Node) -> bool {
        let Node::Expr(id) = node else { return false };
        let Expr::Call(call) = self.program[id] else { return false };
        match &self.program[self.program.call(call).callee] {
            Expr::Name(name) => name == "new",
            Expr::Ref(_) => true,
            _ => false,
        }
    }
}
