//! Instances of types with features.

use std::cell::Cell;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ecow::EcoString;

use crate::model::{Layout, ObjectType, Slot};
use crate::types::format::quoted::{quoted, write_quoted};
use crate::value::Value;

pub use crate::model::{Document, Instance, Links, State};

impl Links {
    /// The texts of the links of a feature, if there are any.
    #[inline]
    pub fn of(&self, slot: usize) -> Option<&[EcoString]> {
        self.texts.iter().find(|(at, _)| *at == slot).map(|(_, texts)| texts.as_slice())
    }

    /// The object that a link refers to.
    #[inline]
    pub fn resolve(&self, text: &str) -> Option<Arc<Instance>> {
        self.document.get()?.get(text)?.upgrade()
    }
}

impl Instance {
    /// An object whose values the compile has.
    #[inline]
    pub fn unfinished(kind: Arc<ObjectType>, draft: usize) -> Self {
        Self { kind, draft, state: OnceLock::new(), container: Mutex::default() }
    }

    /// Whether it has its values, which never change then.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.state.get().is_some()
    }

    /// The features and rules of its type.
    pub fn layout(&self) -> &Layout {
        static EMPTY: std::sync::LazyLock<Layout> = std::sync::LazyLock::new(Layout::default);
        self.kind.model.as_ref().and_then(|m| m.layout.get()).unwrap_or(&EMPTY)
    }

    /// The kept value of a feature of a finished object.
    #[inline]
    pub fn kept(&self, slot: usize) -> Option<&Value> {
        self.state.get()?.values.get(slot)?.as_ref()
    }

    /// Its links, if it was read from data.
    #[inline]
    pub fn links(&self) -> Option<&Links> {
        self.state.get()?.links.as_deref()
    }

    /// Makes it part of another object of this name.
    ///
    /// # Errors
    /// The name of the object that it is already part of.
    pub fn enter(&self, container: EcoString) -> Result<(), EcoString> {
        let mut known = self.container.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.is_empty() {
            return Err(known.clone());
        }
        *known = container;
        Ok(())
    }

    /// Removes it from the object that contains it.
    #[inline]
    pub fn remove_from_container(&self) {
        *self.container.lock().unwrap_or_else(PoisonError::into_inner) = EcoString::new();
    }

    /// The features that are written out with their values: those that are set, kept and not
    /// transient.
    #[inline]
    pub fn written(&self) -> impl Iterator<Item = (usize, &Arc<Slot>, &Value)> {
        let slots = self.layout().slots.iter().enumerate();
        slots.filter_map(|(i, slot)| {
            let value = self.kept(i).filter(|_| !slot.feature.transient)?;
            Some((i, slot, value))
        })
    }

    /// The name of the object in links: its type and the value of its identifying feature.
    pub fn link_name(&self) -> Option<EcoString> {
        let layout = self.layout();
        let value = self.kept(layout.id?)?;
        let text = crate::value::text::to_text(value);
        Some(ecow::eco_format!("{}#{text}", self.kind.name))
    }

    /// Writes it as the expression that makes it again.
    pub fn write(&self, out: &mut String) {
        out.push_str(&self.kind.name);
        out.push_str("({");
        let mut first = true;
        let mut separate = |out: &mut String| {
            if !std::mem::take(&mut first) {
                out.push_str(", ");
            }
        };
        for (i, slot, value) in self.written() {
            separate(out);
            write_quoted(out, &Value::Str(slot.feature.name.clone()));
            out.push_str(" => ");
            match self.links().and_then(|links| links.of(i)) {
                Some(texts) => out.push_str(&quoted(&Value::array(
                    texts.iter().map(|text| Value::Str(text.clone())),
                ))),
                None if slot.feature.is_reference() && !slot.feature.is_containment() => {
                    write_link(out, value);
                }
                None => write_quoted(out, value),
            }
        }
        out.push_str("})");
    }
}

/// Writes links by their names, as their targets may lead back.
fn write_link(out: &mut String, value: &Value) {
    let name = |value: &Value| match value {
        Value::Instance(target) => match target.link_name() {
            Some(name) => Value::Str(name),
            None => Value::Str(target.kind.name.clone()),
        },
        other => other.clone(),
    };
    match value {
        Value::Array(items) => write_quoted(out, &Value::array(items.iter().map(name))),
        single => write_quoted(out, &name(single)),
    }
}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text);
        f.write_str(&text)
    }
}

/// The number of links without names that a test of equality follows.
const LINK_DEPTH: u32 = 16;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

impl PartialEq for Instance {
    /// Whether both have the same type and the same kept values. Links are the same if they lead to
    /// objects of the same name, else to equal ones.
    fn eq(&self, other: &Self) -> bool {
        if std::ptr::eq(self, other) {
            return true;
        }
        if self.kind != other.kind {
            return false;
        }
        let slots = self.layout().slots.iter().enumerate();
        slots.filter(|(_, slot)| slot.derived.is_none()).all(|(i, slot)| {
            match slot.feature.is_reference() && !slot.feature.is_containment() {
                true => self.same_links(other, i),
                false => self.kept(i) == other.kept(i),
            }
        })
    }
}

/// A link: its text, and the object if there is one.
type Link = (Option<EcoString>, Option<Arc<Instance>>);

impl Instance {
    fn all_links(&self, slot: usize) -> Option<Vec<Link>> {
        if let Some(links) = self.links()
            && let Some(texts) = links.of(slot)
        {
            let link = |text: &EcoString| {
                let target = links.resolve(text);
                let name = target.as_ref().map_or(Some(text.clone()), |t| t.link_name());
                (name, target)
            };
            return Some(texts.iter().map(link).collect());
        }
        let link = |value: &Value| match value {
            Value::Instance(target) => (target.link_name(), Some(Arc::clone(target))),
            _ => (None, None),
        };
        match self.kept(slot)? {
            Value::Array(items) => Some(items.iter().map(link).collect()),
            single => Some(vec![link(single)]),
        }
    }

    fn same_links(&self, other: &Self, slot: usize) -> bool {
        let (a, b) = (self.all_links(slot), other.all_links(slot));
        let (Some(a), Some(b)) = (&a, &b) else { return a.is_none() && b.is_none() };
        a.len() == b.len() && a.iter().zip(b).all(|(x, y)| same_link(x, y))
    }
}

fn same_link(a: &Link, b: &Link) -> bool {
    match (a, b) {
        ((Some(x), _), (Some(y), _)) => x == y,
        ((None, Some(x)), (None, Some(y))) => {
            let depth = DEPTH.get();
            if Arc::ptr_eq(x, y) || depth >= LINK_DEPTH {
                return true;
            }
            DEPTH.set(depth + 1);
            let same = x == y;
            DEPTH.set(depth);
            same
        }
        ((None, None), (None, None)) => true,
        _ => false,
    }
}
