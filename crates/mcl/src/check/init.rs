//! Checks before name resolution: the shape of statements and values, the content of strings.

use ordain_source::{FileId, TextRange, suggest};
use rustc_hash::FxHashSet;

use super::literal_typer::LiteralTyper;
use crate::Edition;
use crate::failure::{Failure, Phase};
use crate::functions::shape;
use crate::syntax::ast::{EntryKind, ExprId, ExprKind, ResourceNode, StmtId, StmtKind, Tree};
use crate::syntax::interpolate;
use crate::types::Type;
use crate::value::Value;

/// The names of meta parameters, in the order of their struct.
pub const META: &[&str] = &[
    "noop",
    "retry",
    "retryreset",
    "delay",
    "timeout",
    "poll",
    "limit",
    "burst",
    "reset",
    "sema",
    "rewatch",
    "realize",
    "dollar",
    "hidden",
    "export",
    "reverse",
    "autoedge",
    "autogroup",
];

/// Checks the shape of a file's statements and values.
pub fn init(tree: &Tree, text: &str, file: FileId, edition: Edition) -> Vec<Failure> {
    let still = LiteralTyper { tree, text };
    let mut checks = Checks { tree, still, file, edition, found: Vec::new() };
    for (_, stmt) in tree.stmts.iter() {
        checks.statement(&stmt.kind, stmt.range);
    }
    for (id, expr) in tree.exprs.iter() {
        match &expr.kind {
            ExprKind::Map(pairs) => checks.map(pairs, id),
            ExprKind::Struct(fields) => {
                let mut known = FxHashSet::default();
                if let Some((name, _)) = fields.iter().find(|(name, _)| !known.insert(name)) {
                    let text = format!("duplicate struct field name of: `{name}`");
                    checks.refuse(text, expr.range);
                }
            }
            ExprKind::Var(name) | ExprKind::CallVar(name, _) if name.contains("__") => {
                let text = format!("var name contains multiple underscores: `{name}`");
                checks.refuse(text, expr.range);
                checks.placeless();
            }
            _ => {}
        }
    }
    // In the order of the original's walk.
    checks.found.sort_by_key(|(at, _)| *at);
    checks.found.into_iter().map(|(_, failure)| failure).collect()
}

/// The names of edges in the body of a resource.
const EDGES: [&str; 4] = ["before", "depend", "notify", "listen"];

/// Decodes the strings of a file.
pub fn decode(tree: &mut Tree, text: &str, file: FileId) -> Vec<Failure> {
    let mut found = Vec::new();
    for raw in 0..tree.exprs.len() as u32 {
        let expr = &mut tree.exprs[ExprId::new(raw)];
        let ExprKind::Str(pieces) = &mut expr.kind else { continue };
        let TextRange { start, end } = expr.range;
        match interpolate::pieces(&text[start as usize + 1..end as usize - 1]) {
            Ok(decoded) => *pieces = decoded,
            Err(reason) => {
                let failure = Failure::new(Phase::Interpolate, reason, expr.range.in_file(file));
                let raw = &text[start as usize..end as usize];
                let at = interpolate::broken(raw).map(|at| start + at as u32);
                let place = at.map(|at| TextRange::new(at, at + 2).in_file(file));
                found.push(match place {
                    Some(place) => failure.pointing(place, "").in_plain_words(
                        "`${` in a text is followed by the name of a variable and `}`",
                    ),
                    None => failure,
                });
            }
        }
    }
    found.sort_by_key(|failure| failure.places[0][0].range.start);
    found
}

/// Moves classes such as `base:inner` into the body of `base`, block by block.
pub fn move_classes(tree: &mut Tree) {
    let mut body = std::mem::take(&mut tree.body);
    move_in(tree, &mut body);
    tree.body = body;
    for raw in 0..tree.stmts.len() as u32 {
        let id = StmtId::new(raw);
        let mut kind = std::mem::replace(&mut tree.stmts[id].kind, StmtKind::Edge(Vec::new()));
        match &mut kind {
            StmtKind::If(_, then, other) => {
                move_in(tree, then);
                if let Some(other) = other {
                    move_in(tree, other);
                }
            }
            StmtKind::For(node) => move_in(tree, &mut node.body),
            _ => {}
        }
        tree.stmts[id].kind = kind;
    }
}

fn move_in(tree: &mut Tree, block: &mut Vec<StmtId>) {
    let has_colon = |tree: &Tree, id: StmtId| match &tree.stmts[id].kind {
        StmtKind::Class(class) => class.name.contains(':'),
        _ => false,
    };
    if !block.iter().any(|id| has_colon(tree, *id)) {
        return;
    }
    for at in (0..block.len()).rev() {
        let id = block[at];
        let StmtKind::Class(class) = &tree.stmts[id].kind else { continue };
        let Some((base, inner)) = class.name.rsplit_once(':') else { continue };
        let (base, inner): (ecow::EcoString, ecow::EcoString) = (base.into(), inner.into());
        let is_base = |other: &StmtId| match &tree.stmts[*other].kind {
            StmtKind::Class(class) => class.name == base,
            _ => false,
        };
        let Some(target) = block.iter().copied().find(is_base) else { continue };
        if let StmtKind::Class(class) = &mut tree.stmts[id].kind {
            class.name = inner;
        }
        if let StmtKind::Class(class) = &mut tree.stmts[target].kind {
            class.body.push(id);
        }
        block.remove(at);
    }
}

struct Checks<'a> {
    tree: &'a Tree,
    still: LiteralTyper<'a>,
    file: FileId,
    edition: Edition,
    /// The error, and its place in the resulting text.
    found: Vec<(u32, Failure)>,
}

impl Checks<'_> {
    fn refuse(&mut self, text: impl Into<String>, range: TextRange) {
        self.refuse_at(range.start, text, range);
    }

    fn refuse_at(&mut self, at: u32, text: impl Into<String>, range: TextRange) {
        self.found.push((at, Failure::new(Phase::Init, text, range.in_file(self.file))));
    }

    /// Adds a suggestion of a similar name to the last error.
    fn meaning<'n>(&mut self, name: &str, known: impl Iterator<Item = &'n str>) {
        self.meaning_of(suggest::nearest(name, known));
    }

    fn meaning_of(&mut self, near: Option<&str>) {
        if let Some((at, last)) = self.found.pop() {
            self.found.push((at, last.meaning(near)));
        }
    }

    fn placeless(&mut self) {
        if let Some((at, last)) = self.found.pop() {
            self.found.push((at, last.placeless()));
        }
    }

    fn statement(&mut self, kind: &StmtKind, range: TextRange) {
        match kind {
            StmtKind::Resource(resource) => self.resource(resource, range),
            StmtKind::For(node) => {
                let is_import =
                    |id: &StmtId| matches!(self.tree.stmts[*id].kind, StmtKind::Import { .. });
                if node.body.iter().any(is_import) {
                    let name = if node.is_map { "StmtForKV" } else { "StmtFor" };
                    let text = format!("a StmtImport can't be contained inside a {name}");
                    self.refuse_at(range.end, text, range);
                }
            }
            _ => {}
        }
    }

    fn resource(&mut self, resource: &ResourceNode, range: TextRange) {
        let (mut fields, mut metas) = (FxHashSet::default(), FxHashSet::default());
        for entry in &resource.entries {
            match &entry.kind {
                EntryKind::Field(name, _) if !fields.insert(name) => {
                    let text = format!("resource has duplicate field of: {name}");
                    self.refuse_at(entry.range.start, text, range);
                    return;
                }
                EntryKind::Meta(name, _) if !META.contains(&name.as_str()) => {
                    self.refuse(format!("invalid property: `{name}`"), entry.range);
                    self.placeless();
                    self.meaning(name, META.iter().copied());
                }
                EntryKind::Meta(name, _)
                    if !metas.insert(name) && self.edition == Edition::Upstream =>
                {
                    let text = format!("resource has duplicate meta entry of: {name}");
                    self.refuse_at(entry.range.start, text, range);
                    return;
                }
                EntryKind::Edge(name, _) if !EDGES.contains(&name.as_str()) => {
                    self.refuse(format!("invalid property: `{name}`"), entry.range);
                    self.placeless();
                    let near = suggest::nearest(name, EDGES);
                    let capital = near.map(|near| near[..1].to_uppercase() + &near[1..]);
                    self.meaning_of(capital.as_deref());
                }
                _ => {}
            }
        }
    }

    /// Literal keys have to be distinct and of one type.
    fn map(&mut self, pairs: &[(ExprId, ExprId)], id: ExprId) {
        let range = self.tree.exprs[id].range;
        let mut first: Option<Type> = None;
        for (key, _) in pairs {
            let Some(ty) = self.still.ty(*key, 0) else { continue };
            match &first {
                Some(first) if *first != ty => {
                    let difference = shape::mismatch(first, &ty);
                    let text = format!("inconsistent map key type: {difference}");
                    self.refuse_at(range.end, text, range);
                    return;
                }
                _ => first = Some(ty),
            }
        }
        let Some(ty) = first else { return };
        if !ty.is_hashable() {
            self.refuse_at(range.end, format!("map key type {ty} is not hashable"), range);
            return;
        }
        let values = pairs.iter().filter_map(|(key, _)| self.still.value(*key, 0));
        let mut known: Vec<(usize, Value)> = values.enumerate().collect();
        known.sort_by(|a, b| a.1.compare(&b.1).then(a.0.cmp(&b.0)));
        let equal = known.windows(2).filter(|pair| pair[0].1 == pair[1].1).map(|pair| &pair[1]);
        if let Some((_, twice)) = equal.min_by_key(|(number, _)| number) {
            self.refuse_at(range.end, format!("duplicate map key: {twice}"), range);
        }
    }
}
