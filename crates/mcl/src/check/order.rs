//! Dependencies between the definitions of a block, and a check that none depends on itself.

use std::ops::Range;

use ordain_source::TextRange;
use rustc_hash::{FxHashMap, FxHashSet};

use super::program::parse_import;
use crate::syntax::ast::{ExprId, ExprKind, FuncDef, Name, Piece, StmtId, StmtKind, Tree};

/// The kinds of names that a block can define.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// Variables.
    Var,
    /// Functions.
    Func,
    /// Classes.
    Class,
    /// The name before a dot.
    Scoped,
}

impl Space {
    /// As messages have it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Var => "var",
            Self::Func => "func",
            Self::Class => "class",
            Self::Scoped => "scoped",
        }
    }
}

/// A name that is used.
#[derive(Clone, Debug)]
struct Use {
    space: Space,
    name: Name,
    range: TextRange,
}

/// The names that a statement defines.
pub fn defined(kind: &StmtKind) -> Option<(Space, Name)> {
    Some(match kind {
        StmtKind::Bind { name, .. } => (Space::Var, name.clone()),
        StmtKind::Func(name, _) => (Space::Func, name.clone()),
        StmtKind::Class(class) => (Space::Class, class.name.clone()),
        StmtKind::Include { alias: Some(alias), .. } => (Space::Scoped, alias.clone()),
        StmtKind::Import { alias: Some(alias), .. } if alias != "*" => {
            (Space::Scoped, alias.clone())
        }
        StmtKind::Import { path, alias: None } => (Space::Scoped, parse_import(path).ok()?.1),
        _ => return None,
    })
}

/// The places of the uses that close cycles, one list per cycle.
pub fn cycles(tree: &Tree, block: &[StmtId]) -> Vec<Vec<TextRange>> {
    let mut nodes: FxHashMap<(Space, Name), usize> = FxHashMap::default();
    nodes.reserve(block.len());
    // A statement without definitions is in no cycle.
    let mut defines = vec![false; block.len()];
    for (at, id) in block.iter().enumerate() {
        if let Some(key) = defined(&tree.stmts[*id].kind) {
            defines[at] = true;
            nodes.entry(key).or_insert(at);
        }
    }
    // The last statement whose uses led to each.
    let mut seen_by = vec![usize::MAX; block.len()];
    let mut walk = Walk { tree, uses: Vec::new(), locals: Vec::new() };
    let mut edges: Vec<(usize, TextRange)> = Vec::new();
    let mut spans: Vec<Range<usize>> = Vec::with_capacity(block.len());
    for (from, id) in block.iter().enumerate() {
        let start = edges.len();
        if defines[from] {
            walk.uses.clear();
            walk.statement(*id);
            for used in walk.uses.drain(..) {
                let Some(to) = nodes.get(&(used.space, used.name)) else { continue };
                if std::mem::replace(&mut seen_by[*to], from) != from {
                    edges.push((*to, used.range));
                }
            }
        }
        spans.push(start..edges.len());
    }
    components(block.len(), &edges, &spans)
}

/// The edges inside of strongly connected components, by component, in source order.
fn components(
    count: usize,
    edges: &[(usize, TextRange)],
    spans: &[Range<usize>],
) -> Vec<Vec<TextRange>> {
    let mut tarjan = Tarjan {
        edges,
        spans,
        index: vec![0; count],
        low: vec![0; count],
        component: vec![usize::MAX; count],
        stack: Vec::new(),
        next: 1,
        count: 0,
    };
    for node in 0..count {
        if tarjan.index[node] == 0 {
            tarjan.visit(node);
        }
    }
    let mut found: Vec<Vec<TextRange>> = vec![Vec::new(); tarjan.count];
    for from in 0..count {
        for (to, range) in &edges[spans[from].clone()] {
            if tarjan.component[from] == tarjan.component[*to] {
                found[tarjan.component[from]].push(*range);
            }
        }
    }
    found.retain(|cycle| !cycle.is_empty());
    for cycle in &mut found {
        cycle.sort_by_key(|range| range.start);
    }
    found.sort_by_key(|cycle| cycle[0].start);
    found
}

/// Tarjan's search, with its own stack.
struct Tarjan<'a> {
    edges: &'a [(usize, TextRange)],
    spans: &'a [Range<usize>],
    index: Vec<usize>,
    low: Vec<usize>,
    component: Vec<usize>,
    stack: Vec<usize>,
    next: usize,
    count: usize,
}

impl Tarjan<'_> {
    fn visit(&mut self, root: usize) {
        let mut work = vec![(root, self.spans[root].clone())];
        self.open(root);
        while let Some((node, rest)) = work.last_mut() {
            let node = *node;
            if let Some(edge) = rest.next() {
                let to = self.edges[edge].0;
                if self.index[to] == 0 {
                    self.open(to);
                    work.push((to, self.spans[to].clone()));
                } else if self.component[to] == usize::MAX {
                    self.low[node] = self.low[node].min(self.index[to]);
                }
                continue;
            }
            work.pop();
            if let Some((parent, _)) = work.last() {
                self.low[*parent] = self.low[*parent].min(self.low[node]);
            }
            if self.low[node] == self.index[node] {
                self.close(node);
            }
        }
    }

    fn open(&mut self, node: usize) {
        self.index[node] = self.next;
        self.low[node] = self.next;
        self.next += 1;
        self.stack.push(node);
    }

    fn close(&mut self, root: usize) {
        while let Some(node) = self.stack.pop() {
            self.component[node] = self.count;
            if node == root {
                break;
            }
        }
        self.count += 1;
    }
}

/// Collects the outer names that a statement uses.
struct Walk<'t> {
    tree: &'t Tree,
    uses: Vec<Use>,
    /// Parameters of the functions around.
    locals: Vec<Name>,
}

impl Walk<'_> {
    fn add(&mut self, space: Space, name: &Name, range: TextRange) {
        let (space, name) = match name.split_once('.') {
            Some((first, _)) => (Space::Scoped, first.into()),
            None => (space, name.clone()),
        };
        self.uses.push(Use { space, name, range });
    }

    fn statement(&mut self, id: StmtId) {
        let stmt = &self.tree.stmts[id];
        match &stmt.kind {
            StmtKind::Func(_, func) => self.func(func),
            StmtKind::Include { name, args, .. } => {
                self.add(Space::Class, name, stmt.range);
                args.iter().for_each(|arg| self.expr(*arg));
            }
            StmtKind::Class(class) => {
                let params = class.params.iter().map(|param| param.name.clone());
                self.block(&class.body, params.collect());
            }
            StmtKind::For(node) => {
                self.expr(node.over);
                self.block(&node.body, vec![node.index.0.clone(), node.value.0.clone()]);
            }
            kind => {
                kind.each_expr(&mut |expr| self.expr(expr));
                for block in kind.blocks() {
                    self.block(block, Vec::new());
                }
            }
        }
    }

    /// The names that a block uses and does not define.
    fn block(&mut self, block: &[StmtId], vars: Vec<Name>) {
        let start = self.uses.len();
        for id in block {
            self.statement(*id);
        }
        if self.uses.len() == start {
            return;
        }
        let mut own: FxHashSet<(Space, Name)> =
            block.iter().filter_map(|id| defined(&self.tree.stmts[*id].kind)).collect();
        own.extend(vars.into_iter().map(|name| (Space::Var, name)));
        let inner = self.uses.split_off(start);
        let is_outer = |used: &Use| !own.contains(&(used.space, used.name.clone()));
        self.uses.extend(inner.into_iter().filter(is_outer));
    }

    fn func(&mut self, func: &FuncDef) {
        let depth = self.locals.len();
        self.locals.extend(func.params.iter().map(|param| param.name.clone()));
        self.expr(func.body);
        self.locals.truncate(depth);
    }

    fn var(&mut self, name: &Name, range: TextRange) {
        if !self.locals.contains(name) {
            self.add(Space::Var, name, range);
        }
    }

    fn expr(&mut self, id: ExprId) {
        let mut work = vec![id];
        while let Some(id) = work.pop() {
            let expr = &self.tree.exprs[id];
            match &expr.kind {
                ExprKind::Str(pieces) => {
                    for piece in pieces {
                        if let Piece::Var(name) = piece {
                            self.var(name, expr.range);
                        }
                    }
                }
                ExprKind::Var(name) => self.var(name, expr.range),
                ExprKind::CallVar(name, _) => self.var(name, expr.range),
                ExprKind::Call(name, _) => self.add(Space::Func, name, expr.range),
                ExprKind::Lambda(func) => {
                    self.func(func);
                    continue;
                }
                _ => {}
            }
            let from = work.len();
            expr.kind.each_part(&mut |part| work.push(part));
            work[from..].reverse();
        }
    }
}
