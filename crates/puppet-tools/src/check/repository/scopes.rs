//! The scopes of a text, their declarations, and the places where variables are read.

use std::ops::Range;
use std::sync::Arc;

use ecow::EcoString;
use ordain_source::TextRange;
use ordain_syntax::ListRef;
use rustc_hash::{FxHashMap, FxHashSet};

use ordain_puppet::syntax::*;
use ordain_puppet::validation::walk::{Node, children};

/// The construct of a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ScopeKind {
    Top,
    Class,
    Define,
    Function,
    Node,
    Lambda,
    /// A template with declared parameters.
    Template,
    /// A template without declared parameters, which may see the variables of its caller.
    OpenTemplate,
    /// The code of a type, which has features as variables, some of them from types elsewhere.
    Type,
}

/// The construct that sets a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum VariableOrigin {
    Parameter,
    Assigned,
}

/// A variable of a scope.
#[derive(Debug)]
pub(super) struct Declared {
    pub(super) name: EcoString,
    pub(super) at: TextRange,
    pub(super) how: VariableOrigin,
    /// The numbers of the expressions that are assigned, which come before that of the assignment;
    /// empty for a parameter.
    value: Range<u32>,
}

impl Declared {
    /// Whether an expression is part of the assigned value.
    pub(super) fn is_value(&self, id: ExprId) -> bool {
        self.value.contains(&id.raw())
    }
}

/// The indices of the declarations of a name.
#[derive(Clone, Copy, Debug)]
struct Declarations {
    /// The first that was found.
    first: u32,
    /// The first one in the text.
    earliest: u32,
}

/// A scope.
#[derive(Debug)]
pub(super) struct Scope {
    pub(super) kind: ScopeKind,
    /// The scope around a lambda, whose variables are visible.
    pub(super) parent: Option<usize>,
    /// The name of the class, define or function; for a lambda, the function that is called with
    /// it.
    pub(super) name: EcoString,
    /// The class that a class inherits from.
    pub(super) inherits: Option<EcoString>,
    pub(super) declared: Vec<Declared>,
    /// The declarations of each name, as indices of that list.
    names: FxHashMap<EcoString, Declarations>,
    /// The functions that are called in it.
    pub(super) calls: FxHashSet<EcoString>,
    /// The place of its construct; empty for the top.
    pub(super) at: TextRange,
    /// Whether its body is empty.
    pub(super) is_empty: bool,
    /// Whether its body only sets variables.
    pub(super) has_only_variables: bool,
    /// For a lambda, the variables in the arguments of the function that is called with it.
    pub(super) receives: Vec<EcoString>,
}

impl Scope {
    /// Whether a variable of this name is declared.
    pub(super) fn declares(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// The first declaration of a name that was found.
    pub(super) fn first(&self, name: &str) -> Option<&Declared> {
        self.names.get(name).and_then(|named| self.declared.get(named.first as usize))
    }

    /// The first declaration of a name in the text.
    pub(super) fn earliest(&self, name: &str) -> Option<&Declared> {
        self.names.get(name).and_then(|named| self.declared.get(named.earliest as usize))
    }
}

/// A variable that is read.
#[derive(Debug)]
pub(super) struct Use {
    pub(super) scope: usize,
    pub(super) at: ExprId,
}

/// All scopes of a text.
#[derive(Debug)]
pub(super) struct Scopes {
    pub(super) program: Arc<Program>,
    pub(super) scopes: Vec<Scope>,
    pub(super) uses: Vec<Use>,
    /// The names that any lambda declares.
    pub(super) in_lambdas: FxHashSet<EcoString>,
    /// Names in texts such as `defined('$name')`, which test whether a variable exists.
    pub(super) asked: FxHashSet<EcoString>,
    /// The beginnings of computed names in calls of `getvar`.
    pub(super) asked_prefixes: Vec<EcoString>,
}

enum Step {
    Enter(Node),
    Leave,
}

struct Builder {
    out: Scopes,
    /// The scopes around the current node.
    open: Vec<usize>,
    /// Variables that are assigned to, not read.
    targets: FxHashSet<ExprId>,
    /// Assignments whose value is the result of a function or lambda.
    results: FxHashSet<ExprId>,
    /// Lambdas, with the names of the functions that are called with them, and the variables in
    /// their arguments.
    given_to: FxHashMap<ExprId, (EcoString, Vec<EcoString>)>,
}

impl Scopes {
    /// Those of a text.
    pub(super) fn of(program: &Arc<Program>) -> Self {
        let out = Self {
            program: Arc::clone(program),
            scopes: Vec::new(),
            uses: Vec::new(),
            in_lambdas: FxHashSet::default(),
            asked: FxHashSet::default(),
            asked_prefixes: Vec::new(),
        };
        let mut builder = Builder {
            out,
            open: Vec::new(),
            targets: FxHashSet::default(),
            results: FxHashSet::default(),
            given_to: FxHashMap::default(),
        };
        builder.scope(ScopeKind::Top, EcoString::new(), None);
        builder.walk(program);
        builder.out
    }

    /// The scope that declares a variable that is read.
    pub(super) fn declaring(&self, scope: usize, name: &str) -> Option<usize> {
        let mut at = Some(scope);
        while let Some(i) = at {
            let scope = &self.scopes[i];
            if scope.declares(name) {
                return Some(i);
            }
            at = scope.parent;
        }
        None
    }

    /// The innermost scope around a place.
    pub(super) fn around(&self, place: u32) -> usize {
        let around = |scope: &Scope| (scope.at.start..scope.at.end).contains(&place);
        self.scopes.iter().rposition(around).unwrap_or(0)
    }

    /// The outermost scope around a scope: a class, define, function or file.
    pub(super) fn outermost(&self, scope: usize) -> usize {
        let mut at = scope;
        while let Some(parent) = self.scopes[at].parent {
            at = parent;
        }
        at
    }
}

impl Builder {
    fn scope(&mut self, kind: ScopeKind, name: EcoString, inherits: Option<EcoString>) {
        let parent = if kind == ScopeKind::Lambda { self.open.last().copied() } else { None };
        self.open.push(self.out.scopes.len());
        let declared = Vec::new();
        let (names, calls) = (FxHashMap::default(), FxHashSet::default());
        self.out.scopes.push(Scope {
            kind,
            parent,
            name,
            inherits,
            declared,
            names,
            calls,
            at: TextRange::default(),
            is_empty: false,
            has_only_variables: false,
            receives: Vec::new(),
        });
    }

    /// The scope that was opened last.
    fn current(&mut self) -> &mut Scope {
        let current = self.open.last().copied().unwrap_or(0);
        &mut self.out.scopes[current]
    }

    /// Declares a parameter, or the variable of an assignment with the expressions of its value.
    fn declare(&mut self, name: EcoString, at: TextRange, value: Option<Range<u32>>) {
        let how = match value {
            Some(_) => VariableOrigin::Assigned,
            None => VariableOrigin::Parameter,
        };
        let value = value.unwrap_or_default();
        let current = self.open.last().copied().unwrap_or(0);
        let scope = &mut self.out.scopes[current];
        let number = scope.declared.len() as u32;
        let named = Declarations { first: number, earliest: number };
        let named = scope.names.entry(name.clone()).or_insert(named);
        if at.start < scope.declared.get(named.earliest as usize).map_or(at, |d| d.at).start {
            named.earliest = number;
        }
        if scope.kind == ScopeKind::Lambda {
            self.out.in_lambdas.insert(name.clone());
        }
        scope.declared.push(Declared { name, at, how, value });
    }

    fn walk(&mut self, program: &Program) {
        let mut steps = vec![Step::Enter(Node::Expr(program.body))];
        let mut below = Vec::new();
        while let Some(step) = steps.pop() {
            let node = match step {
                Step::Leave => {
                    self.open.pop();
                    continue;
                }
                Step::Enter(node) => node,
            };
            if self.enter(program, node) {
                steps.push(Step::Leave);
            }
            below.clear();
            children(program, node, &mut below);
            steps.extend(below.drain(..).rev().map(Step::Enter));
        }
    }

    /// Whether a scope was opened.
    fn enter(&mut self, program: &Program, node: Node) -> bool {
        let Node::Expr(id) = node else { return false };
        match &program[id] {
            Expr::Definition(definition) => {
                let is_opened = self.definition(program, program.definition(*definition));
                if is_opened {
                    self.current().at = program.range(id);
                }
                return is_opened;
            }
            Expr::Lambda(lambda) => {
                let (name, receives) = self.given_to.remove(&id).unwrap_or_default();
                self.scope(ScopeKind::Lambda, name, None);
                self.current().at = program.range(id);
                self.current().receives = receives;
                let lambda = program.lambda(*lambda);
                self.params(program, lambda.params);
                self.results(program, lambda.body);
                return true;
            }
            Expr::Epp { has_params, params, .. } => {
                let open = !*has_params;
                let kind = if open { ScopeKind::OpenTemplate } else { ScopeKind::Template };
                self.scope(kind, EcoString::new(), None);
                self.params(program, *params);
                return true;
            }
            Expr::Assign { left, .. } => {
                self.assigned(program, *left, id);
                if self.results.contains(&id) {
                    let scope = self.open.last().copied().unwrap_or(0);
                    self.out.uses.push(Use { scope, at: *left });
                }
            }
            Expr::Var(name) if !self.targets.contains(&id) => {
                let scope = self.reading_scope(name, id);
                self.out.uses.push(Use { scope, at: id });
            }
            Expr::Str(text) => {
                if let Some(name) = text.strip_prefix('$') {
                    self.out.asked.insert(name.trim_start_matches("::").into());
                }
            }
            Expr::Call(call) => self.call(program, program.call(*call)),
            _ => {}
        }
        false
    }

    /// The scope in which a variable is read. The value of `$x = $x + 1` in a lambda reads the
    /// variable around the lambda.
    fn reading_scope(&self, name: &str, id: ExprId) -> usize {
        let current = self.open.last().copied().unwrap_or(0);
        let scope = &self.out.scopes[current];
        let own = scope.parent.and_then(|parent| Some((parent, scope.earliest(name)?)));
        match own {
            Some((parent, own)) if own.is_value(id) => parent,
            _ => current,
        }
    }

    fn definition(&mut self, program: &Program, definition: &Definition) -> bool {
        let none = ListRef::default();
        let (kind, name, params, parent) = match definition {
            Definition::Class { name, params, parent, .. } => {
                (ScopeKind::Class, name.clone(), *params, parent.clone())
            }
            Definition::Define { name, params, .. } => {
                (ScopeKind::Define, name.clone(), *params, None)
            }
            Definition::Function { name, params, .. } => {
                (ScopeKind::Function, name.clone(), *params, None)
            }
            Definition::Node { .. } => (ScopeKind::Node, EcoString::new(), none, None),
            Definition::TypeDefinition { .. } => (ScopeKind::Type, EcoString::new(), none, None),
            _ => return false,
        };
        let parent = parent.map(|p| EcoString::from(p.trim_start_matches("::").to_lowercase()));
        self.scope(kind, name.to_lowercase(), parent);
        if let Definition::Class { body, .. } | Definition::Define { body, .. } = definition {
            self.current().is_empty = matches!(program[*body], Expr::Nop);
            self.current().has_only_variables = match &program[*body] {
                Expr::Block(list) => {
                    let mut all = program.list(*list).iter();
                    all.all(|&statement| matches!(program[statement], Expr::Assign { .. }))
                }
                statement => matches!(statement, Expr::Assign { .. }),
            };
        }
        self.params(program, params);
        if let Definition::Function { body, .. } = definition {
            self.results(program, *body);
        }
        true
    }

    fn params(&mut self, program: &Program, params: ListRef<Param>) {
        for param in program.params(params) {
            self.declare(param.name.clone(), param.range, None);
        }
    }

    fn assigned(&mut self, program: &Program, left: ExprId, whole: ExprId) {
        let value = left.raw() + 1..whole.raw();
        let mut rest = vec![left];
        while let Some(id) = rest.pop() {
            match &program[id] {
                Expr::Var(name) => {
                    self.targets.insert(id);
                    self.declare(name.clone(), program.range(id), Some(value.clone()));
                }
                Expr::List(items) => rest.extend(program.list(*items)),
                _ => {}
            }
        }
    }

    /// Records the assignments at the end of a body, in all its branches.
    fn results(&mut self, program: &Program, body: ExprId) {
        let mut rest = vec![body];
        while let Some(id) = rest.pop() {
            match &program[id] {
                Expr::Assign { .. } => drop(self.results.insert(id)),
                Expr::Block(list) => rest.extend(program.list(*list).last()),
                Expr::If(_, then, other) | Expr::Unless(_, then, other) => {
                    rest.extend([*then, *other]);
                }
                Expr::Case(_, options) => {
                    rest.extend(program.options(*options).iter().map(|option| option.then));
                }
                _ => {}
            }
        }
    }

    fn call(&mut self, program: &Program, call: &Call) {
        let Expr::Name(name) = &program[call.callee] else { return };
        for &scope in &self.open {
            self.out.scopes[scope].calls.insert(name.clone());
        }
        if let Some(lambda) = call.lambda {
            let args = program.list(call.args).iter();
            let read = args.filter_map(|&arg| match &program[arg] {
                Expr::Var(name) => Some(name.clone()),
                _ => None,
            });
            self.given_to.insert(lambda, (name.clone(), read.collect()));
        }
        if matches!(name.as_str(), "getvar" | "defined") {
            let texts = program.list(call.args).iter().filter_map(|&id| match &program[id] {
                Expr::Str(text) => Some(text.split('.').next().unwrap_or(text)),
                _ => None,
            });
            let names = texts.map(|text| text.trim_start_matches('$').trim_start_matches("::"));
            self.out.asked.extend(names.map(EcoString::from));
            for &id in program.list(call.args) {
                let Expr::Concat(parts) = &program[id] else { continue };
                let prefix = match program.list(*parts).first().map(|&part| &program[part]) {
                    Some(Expr::Str(text)) => text.trim_start_matches(['$', ':']),
                    _ => "",
                };
                self.out.asked_prefixes.push(prefix.into());
            }
        }
    }
}
