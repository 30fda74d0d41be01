//! Substitutions, concatenations and merges.
//!
//! A key has a stack of definitions. A substitution looks up its path from the root, without
//! computing all values of the objects on the way. If it reaches a definition that is being
//! computed, it sees only the definitions below it. So a value can refer to the one that it
//! replaces.

use std::sync::Arc;

use ecow::EcoString;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::node::{Context, Environment, Fields, Kind, MAX_DEPTH, Node};
use crate::json::Problem;
use crate::{Map, Value};

/// The maximum depth of values and substitutions together.
const MAX_NESTING: u32 = 256;
/// The maximum total size of all substitutions, approximately in bytes.
const MAX_SIZE: u64 = 100_000_000;
/// The maximum number of definitions that are visited.
const MAX_STEPS: u64 = 50_000_000;
/// The size of a value without its text.
const VALUE: u64 = 16;

/// The plain value of a root.
pub(super) fn resolve(root: &Node, context: &Context<'_>) -> Result<Value, Problem> {
    let mut resolver = Resolver {
        root,
        environment: context.environment,
        active: FxHashSet::default(),
        known: FxHashMap::default(),
        cuts: 0,
        unresolved: 0,
        depth: 0,
        size: 0,
        steps: 0,
    };
    let value = resolver.merge(vec![Candidate::Node(root)]).map_err(|stop| stop.problem)?;
    Ok(value.map_or(Value::Null, |value| value.plain()))
}

/// A computed value.
#[derive(Clone)]
enum Out {
    /// A value with its text.
    Scalar(Value, EcoString),
    List(Arc<Vec<Out>>, ValueSize),
    Object(Arc<Object>, ValueSize),
}

type Object = IndexMap<EcoString, Out, FxBuildHasher>;

/// The size of a value.
#[derive(Clone, Copy, Default)]
struct ValueSize {
    size: u64,
    depth: u32,
}

impl Out {
    fn measure(&self) -> ValueSize {
        match self {
            Self::Scalar(_, text) => ValueSize { size: VALUE + text.len() as u64, depth: 0 },
            Self::List(_, measure) | Self::Object(_, measure) => *measure,
        }
    }

    fn list(items: Vec<Out>) -> Self {
        let measure = ValueSize::around(items.iter().map(Out::measure));
        Self::List(Arc::new(items), measure)
    }

    fn object(entries: Object) -> Self {
        let measures = entries.iter().map(|(key, value)| {
            let inner = value.measure();
            ValueSize { size: inner.size.saturating_add(VALUE + key.len() as u64), ..inner }
        });
        let measure = ValueSize::around(measures);
        Self::Object(Arc::new(entries), measure)
    }

    fn plain(&self) -> Value {
        match self {
            Self::Scalar(value, _) => value.clone(),
            Self::List(items, _) => Value::list(items.iter().map(Out::plain)),
            Self::Object(entries, _) => {
                let entries = entries.iter().map(|(k, v)| (Value::Str(k.clone()), v.plain()));
                Value::Map(Arc::new(entries.collect::<Map>()))
            }
        }
    }
}

impl ValueSize {
    fn around(inner: impl Iterator<Item = ValueSize>) -> Self {
        let start = Self { size: VALUE, depth: 0 };
        inner.fold(start, |all, one| Self {
            size: all.size.saturating_add(one.size),
            depth: all.depth.max(one.depth + 1),
        })
    }
}

/// A candidate for the value of a path, or for a part that is merged into it.
#[derive(Clone)]
enum Candidate<'a> {
    Node(&'a Node),
    Out(Out),
}

/// An object that takes part in a merge.
enum Part<'a> {
    Fields(&'a Fields),
    Object(Arc<Object>),
}

struct Resolver<'a> {
    root: &'a Node,
    environment: Environment<'a>,
    /// The nodes that are being computed.
    active: FxHashSet<usize>,
    /// The values of paths.
    known: FxHashMap<&'a [EcoString], Option<Out>>,
    /// The number of times a node was reached that is being computed.
    cuts: u64,
    /// The same, without those that an optional substitution ignored.
    unresolved: u64,
    depth: u32,
    size: u64,
    steps: u64,
}

/// The state of a candidate.
enum Step<'a> {
    /// Nothing: the next one below counts.
    Nothing,
    /// It is being computed, so that only the definitions below it count.
    Cut,
    Part(Part<'a>),
    /// A value that hides those below it.
    Value(Out),
}

impl<'a> Resolver<'a> {
    fn step(&mut self, candidate: &Candidate<'a>, at: usize) -> Result<Step<'a>, Stop> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(fail(at, "the substitutions take too many steps"));
        }
        let node = match candidate {
            Candidate::Node(node) => *node,
            Candidate::Out(Out::Object(object, _)) => {
                return Ok(Step::Part(Part::Object(Arc::clone(object))));
            }
            Candidate::Out(value) => return Ok(Step::Value(value.clone())),
        };
        Ok(match &node.kind {
            Kind::Object(fields) => Step::Part(Part::Fields(fields)),
            Kind::Substitution { .. } | Kind::Concatenation(_)
                if self.active.contains(&node.id) =>
            {
                self.cuts += 1;
                self.unresolved += 1;
                Step::Cut
            }
            _ => match self.value(node)? {
                None => Step::Nothing,
                Some(Out::Object(object, _)) => Step::Part(Part::Object(object)),
                Some(value) => Step::Value(value),
            },
        })
    }

    /// The value at a path below candidates, the highest of them last.
    fn find(
        &mut self,
        mut candidates: Vec<Candidate<'a>>,
        path: &[EcoString],
        at: usize,
    ) -> Result<Option<Out>, Stop> {
        for key in path {
            let mut below = Vec::new();
            for candidate in candidates.iter().rev() {
                match self.step(candidate, at)? {
                    Step::Nothing => {}
                    Step::Cut => below.clear(),
                    Step::Part(Part::Fields(fields)) => {
                        let field = fields.entries.get(key).into_iter();
                        let nodes = field.flat_map(|field| field.definitions.iter().rev());
                        below.extend(nodes.map(Candidate::Node));
                    }
                    Step::Part(Part::Object(object)) => {
                        below.extend(object.get(key).cloned().map(Candidate::Out));
                    }
                    Step::Value(_) => break,
                }
            }
            below.reverse();
            candidates = below;
        }
        self.merge(candidates)
    }

    /// The combined value of definitions, the highest of them last.
    fn merge(&mut self, candidates: Vec<Candidate<'a>>) -> Result<Option<Out>, Stop> {
        let at = candidates.iter().rev().find_map(|candidate| match candidate {
            Candidate::Node(node) => Some(node.at),
            Candidate::Out(_) => None,
        });
        let at = at.unwrap_or(self.root.at);
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(fail(at, "the substitutions are nested too deep"));
        }
        let mut parts = Vec::new();
        let mut value = None;
        for candidate in candidates.iter().rev() {
            let is_list = matches!(candidate, Candidate::Node(Node { kind: Kind::List(_), .. }));
            if is_list && !parts.is_empty() {
                break;
            }
            match self.step(candidate, at)? {
                Step::Nothing => {}
                Step::Cut => parts.clear(),
                Step::Part(part) => parts.push(part),
                Step::Value(found) => {
                    value = Some(found);
                    break;
                }
            }
        }
        let merged = match parts.as_slice() {
            [] => value,
            _ => Some(self.object(&parts, at)?),
        };
        self.depth -= 1;
        Ok(merged)
    }

    /// Merges objects, the highest of them first.
    fn object(&mut self, parts: &[Part<'a>], at: usize) -> Result<Out, Stop> {
        if let [Part::Object(only)] = parts {
            let only = Arc::clone(only);
            let measures = only.iter().map(|(_, v)| v.measure());
            let measure = ValueSize::around(measures);
            return Ok(Out::Object(only, measure));
        }
        let mut merged = Object::default();
        let mut seen: FxHashSet<&EcoString> = FxHashSet::default();
        for part in parts {
            let keys: Vec<&EcoString> = match part {
                Part::Fields(fields) => fields.in_order().into_iter().map(|(k, _)| k).collect(),
                Part::Object(object) => object.keys().collect(),
            };
            for key in keys {
                if !seen.insert(key) {
                    continue;
                }
                let mut candidates = Vec::new();
                self.steps += parts.len() as u64;
                for part in parts.iter().rev() {
                    match part {
                        Part::Fields(fields) => {
                            let field = fields.entries.get(key).into_iter();
                            let nodes = field.flat_map(|field| &field.definitions);
                            candidates.extend(nodes.map(Candidate::Node));
                        }
                        Part::Object(object) => {
                            candidates.extend(object.get(key).cloned().map(Candidate::Out));
                        }
                    }
                }
                let before = self.unresolved;
                match self.merge(candidates)? {
                    Some(value) => _ = merged.insert(key.clone(), value),
                    None if self.unresolved > before => {
                        return Err(cycle(at, format!("`{key}` needs its own value")));
                    }
                    None => {}
                }
            }
        }
        let object = Out::object(merged);
        self.check_depth(&object, at)?;
        Ok(object)
    }

    fn check_depth(&self, value: &Out, at: usize) -> Result<(), Stop> {
        if value.measure().depth > MAX_DEPTH {
            return Err(fail(at, format!("the values are nested more than {MAX_DEPTH} deep")));
        }
        Ok(())
    }

    /// The value of a node that is no object.
    fn value(&mut self, node: &'a Node) -> Result<Option<Out>, Stop> {
        match &node.kind {
            Kind::Scalar(value, text) => Ok(Some(Out::Scalar(value.clone(), text.clone()))),
            Kind::Blank(text) => Ok(Some(Out::Scalar(Value::Str(text.clone()), text.clone()))),
            Kind::List(items) => {
                let mut out = Vec::with_capacity(items.len());
                for item in items {
                    let before = self.unresolved;
                    let value = self.merge(vec![Candidate::Node(item)])?;
                    if value.is_none() && self.unresolved > before {
                        return Err(cycle(item.at, "the item needs its own value"));
                    }
                    out.extend(value);
                }
                let list = Out::list(out);
                self.check_depth(&list, node.at)?;
                Ok(Some(list))
            }
            Kind::Object(_) => self.merge(vec![Candidate::Node(node)]),
            Kind::Substitution { path, prefix, optional } => {
                self.active.insert(node.id);
                let value = self.substitute((path, *prefix), *optional, node.at);
                self.active.remove(&node.id);
                value
            }
            Kind::Concatenation(parts) => {
                self.active.insert(node.id);
                let value = self.concatenate(parts, node.at);
                self.active.remove(&node.id);
                value
            }
        }
    }

    /// The value at a path from the root.
    fn at_path(
        &mut self,
        path: &'a [EcoString],
        optional: bool,
        at: usize,
    ) -> Result<Option<Out>, Stop> {
        if let Some(known) = self.known.get(path) {
            return Ok(known.clone());
        }
        let (before, depth) = (self.cuts, self.depth);
        let found = match self.find(vec![Candidate::Node(self.root)], path, at) {
            Err(stop) if stop.cycle && optional => {
                self.depth = depth;
                None
            }
            Err(stop) => return Err(Stop { cycle: false, ..stop }),
            Ok(found) => found,
        };
        if self.cuts == before {
            self.known.insert(path, found.clone());
        }
        Ok(found)
    }

    /// The value of a substitution. Paths in included files are looked up relative to the place of
    /// the include first, and then from the root.
    fn substitute(
        &mut self,
        (path, prefix): (&'a [EcoString], usize),
        optional: bool,
        at: usize,
    ) -> Result<Option<Out>, Stop> {
        let unresolved = self.unresolved;
        let mut found = self.at_path(path, optional, at)?;
        let path = path.get(prefix..).unwrap_or_default();
        if found.is_none() && prefix > 0 {
            found = self.at_path(path, optional, at)?;
        }
        let shown = || path.join(".");
        let found = found.or_else(|| {
            let text = EcoString::from((self.environment)(&shown())?);
            Some(Out::Scalar(Value::Str(text.clone()), text))
        });
        match found {
            Some(value) => {
                self.size = self.size.saturating_add(value.measure().size);
                if self.size > MAX_SIZE {
                    return Err(fail(at, "the substitutions make the value too large"));
                }
                Ok(Some(value))
            }
            None if optional => {
                self.unresolved = unresolved;
                Ok(None)
            }
            None => Err(fail(at, format!("the substitution `${{{}}}` has no value", shown()))),
        }
    }

    /// Joins values: lists, objects, or texts with the spaces between them.
    fn concatenate(&mut self, parts: &'a [Node], at: usize) -> Result<Option<Out>, Stop> {
        let mut values = Vec::new();
        for part in parts {
            let blank = matches!(part.kind, Kind::Blank(_));
            let before = self.unresolved;
            match self.merge(vec![Candidate::Node(part)])? {
                Some(value) => values.push((blank, value)),
                None if self.unresolved > before => {
                    return Err(cycle(part.at, "the value refers to itself"));
                }
                None => {}
            }
        }
        let is_text = |value: &Out| matches!(value, Out::Scalar(..));
        if values.iter().all(|(blank, _)| *blank) {
            return Ok(None);
        }
        if !values.iter().all(|(_, value)| is_text(value)) {
            values.retain(|(blank, _)| !blank);
        }
        if values.len() == 1 {
            return Ok(values.pop().map(|(_, value)| value));
        }
        if values.iter().all(|(_, value)| is_text(value)) {
            let text: EcoString = values
                .iter()
                .filter_map(|(_, value)| match value {
                    Out::Scalar(_, text) => Some(text.as_str()),
                    _ => None,
                })
                .collect();
            return Ok(Some(Out::Scalar(Value::Str(text.clone()), text)));
        }
        if values.iter().all(|(_, value)| matches!(value, Out::Object(..))) {
            return self.merge(values.into_iter().map(|(_, v)| Candidate::Out(v)).collect());
        }
        let mut items = Vec::new();
        for (_, value) in values {
            match value {
                Out::List(more, _) => items.extend(more.iter().cloned()),
                _ => return Err(fail(at, "lists, objects and texts cannot be joined")),
            }
        }
        Ok(Some(Out::list(items)))
    }
}

/// The reason why there is no value.
struct Stop {
    problem: Problem,
    /// Whether a value refers to itself, which an optional substitution ignores.
    cycle: bool,
}

fn fail(at: usize, message: impl Into<String>) -> Stop {
    Stop { problem: Problem { at, message: message.into() }, cycle: false }
}

fn cycle(at: usize, message: impl Into<String>) -> Stop {
    Stop { cycle: true, ..fail(at, message) }
}
