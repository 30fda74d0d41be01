//! The names in a manifest or template: which thing each of them means, and where.

use ecow::EcoString;
use ordain_puppet::syntax::*;
use ordain_puppet::validation::names::{bare, parent_range, plain, split_name};
use ordain_puppet::validation::walk::{Node, children};
use ordain_source::TextRange;
use ordain_syntax::ListRef;
use rustc_hash::{FxHashMap, FxHashSet};

/// Functions whose arguments are names of classes.
const INCLUDING: [&str; 3] = ["include", "require", "contain"];

/// Functions that look up their first argument.
const LOOKING_UP: [&str; 5] = ["lookup", "hiera", "hiera_array", "hiera_hash", "hiera_include"];

/// A thing that has a name.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Symbol {
    /// A class.
    Class(EcoString),
    /// A define, resource type or data type, in lower case.
    Type(EcoString),
    /// A function.
    Function(EcoString),
    /// A variable or parameter of a class or define, or an attribute of a resource type. Variables of
    /// the top scope have no owner.
    Member {
        /// The class, define or type.
        owner: EcoString,
        /// The name.
        name: EcoString,
    },
    /// A variable of a function, lambda, node block or template.
    Local {
        /// The number of its scope in the file.
        scope: u32,
        /// The name.
        name: EcoString,
    },
    /// A key of Hiera.
    Key(EcoString),
    /// A fact, as a path such as `os.family`.
    Fact(EcoString),
    /// A template, such as `web/vhost.erb`.
    Template(EcoString),
    /// A file that modules serve, such as `web/index.html`.
    File(EcoString),
}

/// A name in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Name {
    pub(crate) symbol: Symbol,
    pub(crate) range: TextRange,
    pub(crate) is_definition: bool,
}

/// The construct of a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ScopeKind {
    Top,
    Class,
    Define,
    Inner,
}

/// A scope of a text.
#[derive(Debug)]
pub(crate) struct Scope {
    pub(crate) kind: ScopeKind,
    /// The class or define.
    pub(crate) owner: EcoString,
    /// The scope around it, if its variables are visible.
    pub(crate) parent: Option<u32>,
    /// The scope around it in the text.
    pub(crate) range: TextRange,
    /// The variables that it sets.
    pub(crate) declared: FxHashSet<EcoString>,
}

/// The names and scopes of a text.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// In the order of the text.
    pub(crate) names: Vec<Name>,
    pub(crate) scopes: Vec<Scope>,
}

impl Names {
    /// The names of a program.
    pub(crate) fn of(program: &Program) -> Self {
        let mut builder = Builder {
            program,
            out: Self::default(),
            open: Vec::new(),
            targets: FxHashSet::default(),
            reads: Vec::new(),
            parents: FxHashMap::default(),
        };
        builder.scope(ScopeKind::Top, "".into(), TextRange::new(0, program.text.len() as u32));
        builder.walk();
        builder.resolve();
        let mut out = builder.out;
        out.names.sort_by_key(|name| (name.range.start, name.range.end));
        out.names.dedup();
        out
    }

    /// The names at an offset, the innermost first.
    pub(crate) fn at(&self, offset: u32) -> impl Iterator<Item = &Name> {
        let end = self.names.partition_point(|name| name.range.start <= offset);
        // Names that contain each other are next to each other.
        let near = self.names[..end].iter().rev().take(8);
        near.filter(move |name| offset <= name.range.end)
    }

    /// The innermost scope at an offset.
    pub(crate) fn scope_at(&self, offset: u32) -> u32 {
        let around = |scope: &Scope| scope.range.start <= offset && offset <= scope.range.end;
        self.scopes.iter().rposition(around).unwrap_or(0) as u32
    }

    /// The scopes whose variables are visible in a scope, from the inside.
    pub(crate) fn visible(&self, scope: u32) -> impl Iterator<Item = (u32, &Scope)> {
        let mut at = Some(scope);
        std::iter::from_fn(move || {
            let number = at?;
            let scope = self.scopes.get(number as usize)?;
            at = scope.parent;
            Some((number, scope))
        })
    }
}

enum Step {
    Enter(Node),
    Leave,
}

struct Builder<'p> {
    program: &'p Program,
    out: Names,
    open: Vec<u32>,
    /// Variables that are assigned to.
    targets: FxHashSet<ExprId>,
    /// Variables that are read, with their scopes.
    reads: Vec<(ExprId, u32)>,
    /// The ancestors of classes of this text.
    parents: FxHashMap<EcoString, EcoString>,
}

impl Builder<'_> {
    fn scope(&mut self, kind: ScopeKind, owner: EcoString, range: TextRange) {
        let number = self.out.scopes.len() as u32;
        let parent = self.open.last().copied().filter(|_| kind == ScopeKind::Inner);
        let declared = FxHashSet::default();
        self.out.scopes.push(Scope { kind, owner, parent, range, declared });
        self.open.push(number);
    }

    /// A scope without variables of the scopes around it.
    fn separate(&mut self, range: TextRange) {
        self.scope(ScopeKind::Inner, "".into(), range);
        if let Some(scope) = self.out.scopes.last_mut() {
            scope.parent = None;
        }
    }

    fn current(&self) -> u32 {
        self.open.last().copied().unwrap_or(0)
    }

    fn add(&mut self, symbol: Symbol, range: TextRange) {
        self.out.names.push(Name { symbol, range, is_definition: false });
    }

    fn define(&mut self, symbol: Symbol, range: TextRange) {
        self.out.names.push(Name { symbol, range, is_definition: true });
    }

    fn walk(&mut self) {
        let mut steps = vec![Step::Enter(Node::Expr(self.program.body))];
        let mut below = Vec::new();
        while let Some(step) = steps.pop() {
            let Step::Enter(node) = step else {
                self.open.pop();
                continue;
            };
            if self.enter(node) {
                steps.push(Step::Leave);
            }
            below.clear();
            children(self.program, node, &mut below);
            steps.extend(below.drain(..).rev().map(Step::Enter));
        }
    }

    /// Whether a scope was opened.
    fn enter(&mut self, node: Node) -> bool {
        let program = self.program;
        let Node::Expr(id) = node else { return false };
        match &program[id] {
            Expr::Definition(definition) => {
                return self.definition(id, program.definition(*definition));
            }
            Expr::Lambda(lambda) => {
                self.scope(ScopeKind::Inner, "".into(), program.range(id));
                self.params(program.lambda(*lambda).params);
                return true;
            }
            Expr::Epp { params, .. } => {
                self.separate(TextRange::new(0, program.text.len() as u32));
                self.params(*params);
                return true;
            }
            Expr::Assign { left, .. } => self.assigned(*left),
            Expr::Var(_) if !self.targets.contains(&id) => self.reads.push((id, self.current())),
            Expr::Str(text) => {
                if let Some(rest) = text.strip_prefix("puppet:///modules/") {
                    self.add(Symbol::File(rest.into()), inner(program, id));
                }
            }
            Expr::Call(call) => self.call(program.call(*call)),
            Expr::Access(parts) => self.access(program.list(*parts)),
            Expr::Ref(name) if plain(name) != "class" => {
                self.add(Symbol::Type(plain(name)), program.range(id));
            }
            Expr::Resource { kind, bodies, .. } => self.resource(*kind, *bodies),
            Expr::ResourceDefaults { kind, attributes, .. }
            | Expr::Collect { kind, attributes, .. } => self.attributes(*kind, *attributes),
            Expr::ResourceOverride { resources, attributes, .. } => {
                if let Expr::Access(parts) = &program[*resources]
                    && let Some(&kind) = program.list(*parts).first()
                {
                    self.attributes(kind, *attributes);
                }
            }
            _ => {}
        }
        false
    }

    fn definition(&mut self, id: ExprId, definition: &Definition) -> bool {
        let program = self.program;
        let range = program.range(id);
        match definition {
            Definition::Class { name, params, parent, .. } => {
                let owner = plain(name);
                self.define(Symbol::Class(owner.clone()), defined_name(program, range, name));
                if let Some(parent) = parent
                    && let Some(at) = parent_range(program, range, parent)
                {
                    self.add(Symbol::Class(plain(parent)), at);
                    self.parents.insert(owner.clone(), plain(parent));
                }
                self.scope(ScopeKind::Class, owner, range);
                self.params(*params);
            }
            Definition::Define { name, params, .. } => {
                let owner = plain(name);
                self.define(Symbol::Type(owner.clone()), defined_name(program, range, name));
                self.scope(ScopeKind::Define, owner, range);
                self.params(*params);
            }
            Definition::Function { name, params, .. } => {
                let function = Symbol::Function(bare(name).into());
                self.define(function, defined_name(program, range, name));
                self.separate(range);
                self.params(*params);
            }
            Definition::Node { .. } => self.scope(ScopeKind::Inner, "".into(), range),
            Definition::TypeAlias { name, .. } | Definition::TypeDefinition { name, .. } => {
                self.define(Symbol::Type(plain(name)), defined_name(program, range, name));
                return false;
            }
            Definition::TypeMapping { .. } => return false,
        }
        true
    }

    fn params(&mut self, params: ListRef<Param>) {
        for param in self.program.params(params) {
            let range = without_sigil(self.program, param.range);
            self.declare(&param.name, range);
        }
    }

    fn declare(&mut self, name: &EcoString, range: TextRange) {
        let number = self.current();
        let Some(scope) = self.out.scopes.get_mut(number as usize) else { return };
        scope.declared.insert(name.clone());
        let symbol = variable(scope, number, name);
        self.define(symbol, range);
    }

    fn assigned(&mut self, left: ExprId) {
        let mut rest = vec![left];
        while let Some(id) = rest.pop() {
            match &self.program[id] {
                Expr::Var(name) => {
                    self.targets.insert(id);
                    let range = without_sigil(self.program, self.program.range(id));
                    self.declare(name, range);
                }
                Expr::List(items) => rest.extend(self.program.list(*items)),
                _ => {}
            }
        }
    }

    fn call(&mut self, call: &Call) {
        let program = self.program;
        let Expr::Name(name) = &program[call.callee] else { return };
        let mut range = program.range(call.callee);
        if call.form == CallForm::Method {
            range = after_dot(program, range, name);
        }
        let name = bare(name);
        self.add(Symbol::Function(name.into()), range);
        let args = program.list(call.args);
        if INCLUDING.contains(&name) {
            args.iter().for_each(|&arg| self.classes(arg));
        }
        let Some((id, text)) = args.first().and_then(|&id| Some((id, text(program, id)?))) else {
            return;
        };
        match name {
            "template" | "epp" => self.add(Symbol::Template(text.clone()), inner(program, id)),
            "file" => self.add(Symbol::File(text.clone()), inner(program, id)),
            name if LOOKING_UP.contains(&name) => {
                self.add(Symbol::Key(text.clone()), inner(program, id));
            }
            _ => {}
        }
    }

    /// Class names in an expression.
    fn classes(&mut self, id: ExprId) {
        match &self.program[id] {
            Expr::Str(name) | Expr::Name(name) => {
                self.add(Symbol::Class(plain(name)), inner(self.program, id));
            }
            Expr::List(items) => {
                self.program.list(*items).iter().for_each(|&id| self.classes(id));
            }
            _ => {}
        }
    }

    fn access(&mut self, parts: &[ExprId]) {
        let program = self.program;
        let Some((&first, keys)) = parts.split_first() else { return };
        match &program[first] {
            Expr::Ref(name) if plain(name) == "class" => {
                keys.iter().for_each(|&key| self.classes(key));
            }
            Expr::Var(name) if matches!(bare(name), "facts") => {
                self.fact("", keys);
            }
            Expr::Access(inside) => {
                // `$facts['os']['family']` is an access to an access.
                let inside = program.list(*inside);
                if let [base, key] = inside
                    && matches!(&program[*base], Expr::Var(name) if bare(name) == "facts")
                    && let Some(outer) = text(program, *key)
                {
                    self.fact(&outer.clone(), keys);
                }
            }
            _ => {}
        }
    }

    fn fact(&mut self, outer: &str, keys: &[ExprId]) {
        let Some((id, key)) = keys.first().and_then(|&id| Some((id, text(self.program, id)?)))
        else {
            return;
        };
        let path = match outer {
            "" => key.clone(),
            outer => ecow::eco_format!("{outer}.{key}"),
        };
        self.add(Symbol::Fact(path), inner(self.program, id));
    }

    fn resource(&mut self, kind: ExprId, bodies: ListRef<ResourceBody>) {
        let program = self.program;
        let (Expr::Name(name) | Expr::Str(name)) = &program[kind] else { return };
        let name = plain(name);
        let is_class = name == "class";
        if !is_class {
            self.add(Symbol::Type(name.clone()), program.range(kind));
        }
        for body in program.bodies(bodies) {
            let owner = match (is_class, text(program, body.title)) {
                (false, _) => name.clone(),
                (true, Some(class)) => plain(class),
                (true, None) => EcoString::new(),
            };
            if is_class {
                self.classes(body.title);
            }
            if !owner.is_empty() {
                self.members(&owner, body.attributes);
            }
        }
    }

    fn attributes(&mut self, kind: ExprId, attributes: ListRef<Attribute>) {
        if let Expr::Ref(name) = &self.program[kind] {
            self.members(&plain(name), attributes);
        }
    }

    fn members(&mut self, owner: &EcoString, attributes: ListRef<Attribute>) {
        for attribute in self.program.attributes(attributes) {
            if attribute.op != AttributeOp::Splat {
                let start = attribute.range.start;
                let range = TextRange::new(start, start + attribute.name.len() as u32);
                let (owner, name) = (owner.clone(), attribute.name.clone());
                self.add(Symbol::Member { owner, name }, range);
            }
        }
    }

    /// Finds the variables that are read, after all declarations are known.
    fn resolve(&mut self) {
        for (id, number) in std::mem::take(&mut self.reads) {
            let Expr::Var(written) = &self.program[id] else { continue };
            let name = bare(written);
            let range = without_sigil(self.program, self.program.range(id));
            if let Some((owner, name)) = split_name(name) {
                let owner_end = range.end.saturating_sub(name.len() as u32 + 2);
                let owner = plain(owner);
                let of_class = TextRange::new(range.start, owner_end.max(range.start));
                self.add(Symbol::Class(owner.clone()), of_class);
                let member = TextRange::new((owner_end + 2).min(range.end), range.end);
                self.add(Symbol::Member { owner, name: name.into() }, member);
                continue;
            }
            if name.is_empty() || name.bytes().all(|b| b.is_ascii_digit()) {
                continue;
            }
            let declaring =
                self.out.visible(number).find(|(_, scope)| scope.declared.contains(name));
            let symbol = match declaring {
                Some((number, scope)) if !written.starts_with(':') => {
                    variable(scope, number, &name.into())
                }
                _ => self.inherited(number, name, written.starts_with(':')),
            };
            self.add(symbol, range);
        }
    }

    /// A variable that the text does not set: of the class around it if that inherits, else of the
    /// top scope.
    fn inherited(&self, scope: u32, name: &str, is_top: bool) -> Symbol {
        let outermost = self.out.visible(scope).last();
        let parent = outermost.and_then(|(_, scope)| self.parents.get(&scope.owner));
        let owner = parent.filter(|_| !is_top).cloned().unwrap_or_default();
        Symbol::Member { owner, name: name.into() }
    }
}

fn variable(scope: &Scope, number: u32, name: &EcoString) -> Symbol {
    match scope.kind {
        ScopeKind::Inner => Symbol::Local { scope: number, name: name.clone() },
        _ => Symbol::Member { owner: scope.owner.clone(), name: name.clone() },
    }
}

fn text(program: &Program, id: ExprId) -> Option<&EcoString> {
    match &program[id] {
        Expr::Str(text) | Expr::Name(text) => Some(text),
        _ => None,
    }
}

/// The range of an expression without its quotes, and without the colons before a name.
fn inner(program: &Program, id: ExprId) -> TextRange {
    let range = program.range(id);
    let written = program.text(range);
    let is_quoted =
        |quote| written.len() > 1 && written.starts_with(quote) && written.ends_with(quote);
    let mut out = range;
    if is_quoted('\'') || is_quoted('"') {
        out = TextRange::new(range.start + 1, range.end - 1);
    }
    let colons = program.text(out).len() - bare(program.text(out)).len();
    TextRange::new(out.start + colons as u32, out.end)
}

/// The range of a variable or parameter without `*`, `$` and `::`.
fn without_sigil(program: &Program, range: TextRange) -> TextRange {
    let written = program.text(range);
    let name = written.trim_start_matches(['*', '$', ':', '{', ' ']);
    TextRange::new(range.start + (written.len() - name.len()) as u32, range.end)
}

/// The range of a name in its definition, behind the keyword.
fn defined_name(program: &Program, range: TextRange, name: &str) -> TextRange {
    let written = program.text(range);
    // Aliases of data types begin at their names.
    let is_keyword = |c: char| c.is_ascii_lowercase();
    let keyword = written.find(|c: char| !is_keyword(c)).unwrap_or(written.len());
    let blanks = written[keyword..].len() - written[keyword..].trim_start().len();
    let start = keyword + blanks;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '-');
    let length = written[start..].find(|c| !is_name(c)).unwrap_or(written.len() - start);
    let found = &written[start..start + length];
    if length == 0 || !plain(name).ends_with(plain(found).as_str()) {
        return TextRange::new(range.start, range.start + keyword as u32);
    }
    TextRange::new(range.start + start as u32, range.start + (start + length) as u32)
}

/// The range of a method's name, which has the place of its dot.
fn after_dot(program: &Program, dot: TextRange, name: &str) -> TextRange {
    let rest = program.text.get(dot.end as usize..).unwrap_or_default();
    let blanks = rest.len() - rest.trim_start().len();
    let start = dot.end + blanks as u32;
    match rest.trim_start().starts_with(name) {
        true => TextRange::new(start, start + name.len() as u32),
        false => dot,
    }
}
