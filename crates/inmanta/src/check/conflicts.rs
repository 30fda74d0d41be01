//! Finds constructors at the top level of files that an index maps to the same instance, but that
//! set an attribute to different values.

use rustc_hash::{FxHashMap, FxHashSet};

use super::literals::StaticError;
use crate::diagnostics::{Background, Class, Error};
use crate::location::Location;
use crate::model::program::{NewInfo, Program};
use crate::symbol::Symbol;
use crate::syntax::ast::NewId;
use crate::syntax::text::NoInstances;
use crate::value::Value;

impl Program {
    /// Adds all pairs of constructors that contradict each other. `certain` tells for each
    /// constructor, by number, whether every run executes it.
    pub(super) fn conflicts(&self, certain: &[bool], found: &mut Vec<StaticError>) {
        let mut first: FxHashMap<(u32, u32, String), usize> = FxHashMap::default();
        let mut told: FxHashSet<(usize, usize)> = FxHashSet::default();
        for (number, info) in self.news.iter().enumerate() {
            let Some(info) = info.filter(|_| certain[number]) else { continue };
            for list in &self.entities[info.entity as usize].indexes {
                let Some(key) = self.constant_key(info, *list) else { continue };
                let other = *first.entry((info.entity, *list, key)).or_insert(number);
                if other != number
                    && told.insert((other, number))
                    && let Some(error) = self.conflict(other, number, info)
                {
                    found.push(StaticError { error, is_certain: true });
                }
            }
        }
    }

    /// The key of a constructor in an index, if all its values are constants.
    fn constant_key(&self, info: NewInfo, list: u32) -> Option<String> {
        let value = |name: &Symbol| self.constant_of(info, *name);
        let names = self.index_lists[list as usize].iter();
        let values: Option<Vec<&Value>> = names.map(value).collect();
        let texts = values?.into_iter().map(|value| value.repr(&NoInstances));
        Some(texts.collect::<Vec<_>>().join(","))
    }

    /// The constant that a constructor or a default sets an attribute to.
    fn constant_of(&self, info: NewInfo, name: Symbol) -> Option<&Value> {
        let all = self.direct(info).iter().chain(self.indirect(info));
        let (_, value) = all.into_iter().find(|(known, _)| *known == name)?;
        self.constant(*value)
    }

    /// The error if two constructors of an instance set an attribute to different values.
    fn conflict(&self, first: usize, second: usize, info: NewInfo) -> Option<Box<Error>> {
        let other = self.news[first]?;
        for (name, value) in self.direct(info).iter().chain(self.indirect(info)) {
            let attribute = self.attribute(info.entity, *name)?;
            if self.attributes[attribute as usize].is_relation() {
                continue;
            }
            let (Some(new), Some(old)) = (self.constant(*value), self.constant_of(other, *name))
            else {
                continue;
            };
            if new == old {
                continue;
            }
            let (old, new) = (old.repr(&NoInstances), new.repr(&NoInstances));
            let places = (self.place_of(first, *name), self.place_of(second, *name));
            let name = self.name(*name);
            let text = format!(
                "value set twice: an index makes both constructors the same instance, and `{name}` \
                 is {old} in one and {new} in the other"
            );
            let mut error = Error::new(Class::DoubleSet, text).at(places.1);
            error.background = Some(Box::new(Background {
                places: vec![
                    (places.0, format!("`{name}` is {old} here")),
                    (places.1, format!("and {new} here")),
                ],
                ..Background::default()
            }));
            return Some(error);
        }
        None
    }

    /// The place where a constructor names an attribute; its class if a default sets the value.
    fn place_of(&self, number: usize, name: Symbol) -> Location {
        let node = &self.ast.news[NewId::new(number as u32)];
        let named = self.ast.names.list(node.names).iter().find(|known| known.symbol == name);
        named.map_or(node.class.at, |name| name.at)
    }
}
