//! Variables: setting, reading, freezing, listening.

use std::rc::Rc;

use super::{
    DEPTH, Delayed, Frozen, Kind, Listener, ListenerId, Member, NONE, Net, Place, Reason, UnitId,
    Var, Waiter,
};
use crate::error::{Class, Error, Reporter, Result};
use crate::program::AttributeKind;
use crate::symbol::Symbol;
use crate::types::TypeId;
use crate::value::{InstanceId, Value, VarId};

/// How many items a relation is searched through one by one.
const FEW: usize = 8;

impl Net<'_> {
    fn push_var(&mut self, kind: Kind, meta: u32, link: u32) -> VarId {
        let id = VarId(self.vars.len() as u32);
        self.vars.push(Var {
            value: Value::Null,
            head: NONE,
            tail: NONE,
            place: Place(NONE >> 1),
            meta,
            link,
            kind,
            is_ready: false,
            notifies: false,
        });
        id
    }

    /// A variable that takes anything; a type that it has to fit has a number above 0.
    pub(super) fn plain(&mut self, ty: u32) -> VarId {
        self.push_var(Kind::Plain, ty, NONE)
    }

    pub(super) fn typed(&mut self, ty: TypeId) -> VarId {
        self.plain(ty.0 + 1)
    }

    /// A variable that has its value.
    pub(super) fn ready(&mut self, kind: Kind, value: Value, place: Place) -> VarId {
        let id = self.push_var(kind, 0, NONE);
        let var = &mut self.vars[id.0 as usize];
        (var.value, var.is_ready, var.place) = (value, true, place);
        id
    }

    pub(super) fn proxy(&mut self, listener: Option<ListenerId>) -> VarId {
        self.push_var(Kind::Proxy, listener.unwrap_or(NONE), NONE)
    }

    fn delay(&mut self, kind: Kind, attribute: u32, instance: u32) -> VarId {
        let link = self.delayed.len() as u32;
        self.delayed.push(Delayed { instance, ..Delayed::default() });
        self.push_var(kind, attribute, link)
    }

    pub(super) fn collected(&mut self) -> VarId {
        self.delay(Kind::Collected, NONE, NONE)
    }

    /// The variable of a slot.
    pub(super) fn slot(&mut self, attribute: u32, instance: InstanceId) -> VarId {
        let (kind, ty) = {
            let found = &self.program.attributes[attribute as usize];
            let kind = match found.kind {
                AttributeKind::Plain => Kind::Plain,
                AttributeKind::Relation { low: 1, high: Some(1), .. } => Kind::One,
                AttributeKind::Relation { low: 0, high: Some(1), .. } => Kind::Opt,
                AttributeKind::Relation { .. } => Kind::Many,
            };
            (kind, found.internal)
        };
        if self.program.self_name == Some(self.program.attributes[attribute as usize].name) {
            // Its name is taken: it is the instance itself.
            return self.ready(Kind::Plain, Value::Instance(instance), Place(NONE >> 1));
        }
        match kind {
            Kind::Plain => self.typed(ty),
            Kind::One => self.push_var(Kind::One, attribute, instance.0),
            _ => {
                let var = self.delay(kind, attribute, instance.0);
                self.queue_if_complete(var);
                var
            }
        }
    }

    /// The variable behind a proxy.
    pub(super) fn behind(&self, var: VarId) -> Option<VarId> {
        let mut id = var;
        loop {
            let var = &self.vars[id.0 as usize];
            if var.kind != Kind::Proxy {
                return Some(id);
            }
            if var.link == NONE {
                return None;
            }
            id = VarId(var.link);
        }
    }

    pub(super) fn is_ready(&self, var: VarId) -> bool {
        self.behind(var).is_some_and(|var| self.vars[var.0 as usize].is_ready)
    }

    fn delayed_of(&mut self, var: VarId) -> &mut Delayed {
        let link = self.vars[var.0 as usize].link;
        &mut self.delayed[link as usize]
    }

    pub(super) fn is_delayed(&self, var: VarId) -> bool {
        matches!(self.vars[var.0 as usize].kind, Kind::Opt | Kind::Many | Kind::Collected)
    }

    pub(super) fn is_many(&self, var: VarId) -> bool {
        self.vars[var.0 as usize].kind == Kind::Many
    }

    /// How many promises are open.
    pub(super) fn providers(&self, var: VarId) -> u32 {
        let delayed = &self.delayed[self.vars[var.0 as usize].link as usize];
        if self.vars[var.0 as usize].is_ready { 0 } else { delayed.promises - delayed.kept }
    }

    fn multiplicity(&self, var: VarId) -> (u32, Option<u32>, Option<u32>, bool) {
        match self.program.attributes[self.vars[var.0 as usize].meta as usize].kind {
            AttributeKind::Relation { low, high, end, precedes, .. } => (low, high, end, precedes),
            AttributeKind::Plain => (1, Some(1), None, false),
        }
    }

    /// Whether freezing would let somebody go on.
    pub(super) fn potential(&self, var: VarId) -> bool {
        let found = &self.vars[var.0 as usize];
        let delayed = &self.delayed[found.link as usize];
        match found.kind {
            Kind::Opt => delayed.waiters > 0 || self.multiplicity(var).3,
            Kind::Many => {
                let precedes = u32::from(self.multiplicity(var).3);
                delayed.waiters + precedes > delayed.gradual
            }
            _ => false,
        }
    }

    fn is_complete(&self, var: VarId) -> bool {
        let found = &self.vars[var.0 as usize];
        let delayed = &self.delayed[found.link as usize];
        match found.kind {
            Kind::Opt => self.providers(var) == 0,
            Kind::Many => {
                let count = match &found.value {
                    Value::List(items) => items.len(),
                    _ => delayed.items.len(),
                };
                count >= self.multiplicity(var).0 as usize && self.providers(var) == 0
            }
            _ => found.is_ready,
        }
    }

    /// Whether it could be frozen at the end.
    pub(super) fn can_get(&self, var: VarId) -> bool {
        if self.is_delayed(var) { self.is_complete(var) } else { self.is_ready(var) }
    }

    fn queue_if_complete(&mut self, var: VarId) {
        if self.vars[var.0 as usize].is_ready || !self.is_complete(var) {
            return;
        }
        let delayed = self.delayed_of(var);
        if !std::mem::replace(&mut delayed.is_queued, true) {
            let attribute = self.vars[var.0 as usize].meta;
            self.waiting.push(var, attribute);
        }
    }

    pub(super) fn unqueue(&mut self, var: VarId) {
        self.delayed_of(var).is_queued = false;
    }

    /// Promises a value.
    pub(super) fn promise(&mut self, var: VarId) {
        if self.is_delayed(var) && !self.vars[var.0 as usize].is_ready {
            self.delayed_of(var).promises += 1;
        }
    }

    /// Keeps a promise.
    pub(super) fn keep(&mut self, var: VarId) {
        if !self.is_delayed(var) || self.vars[var.0 as usize].is_ready {
            return;
        }
        let delayed = self.delayed_of(var);
        delayed.kept += 1;
        if self.vars[var.0 as usize].kind == Kind::Collected {
            if self.providers(var) == 0 {
                self.freeze(var, Reason::Complete);
            }
        } else {
            self.queue_if_complete(var);
        }
    }

    /// Has a unit wait for a variable.
    pub(super) fn wait(&mut self, unit: UnitId, var: VarId) {
        self.units[unit as usize].waits += 1;
        self.enlist(unit, var);
    }

    fn enlist(&mut self, unit: UnitId, var: VarId) {
        let mut id = var;
        while self.vars[id.0 as usize].kind == Kind::Proxy && self.vars[id.0 as usize].link != NONE
        {
            id = VarId(self.vars[id.0 as usize].link);
        }
        if self.vars[id.0 as usize].is_ready {
            self.tell(unit);
            return;
        }
        let node = self.waiter(unit);
        let tail = self.vars[id.0 as usize].tail;
        if tail == NONE {
            self.vars[id.0 as usize].head = node;
        } else {
            self.waiters[tail as usize].next = node;
        }
        self.vars[id.0 as usize].tail = node;
        if self.is_delayed(id) {
            let delayed = self.delayed_of(id);
            delayed.waiters += 1;
            if delayed.zero.is_some() && !std::mem::replace(&mut delayed.is_woken, true) {
                self.zero.woken.push(id);
            }
        }
    }

    fn waiter(&mut self, unit: UnitId) -> u32 {
        let node = Waiter { unit, next: NONE };
        if self.free_waiters == NONE {
            self.waiters.push(node);
            return self.waiters.len() as u32 - 1;
        }
        let at = self.free_waiters;
        self.free_waiters = self.waiters[at as usize].next;
        self.waiters[at as usize] = node;
        at
    }

    /// Tells a unit that one of those it waits for is ready.
    pub(super) fn tell(&mut self, unit: UnitId) {
        let found = &mut self.units[unit as usize];
        found.waits -= 1;
        if found.waits == 0 {
            self.running.push_back(unit);
        }
    }

    /// The units that wait for a variable, which are taken off.
    fn take_waiters(&mut self, var: VarId) -> u32 {
        let found = &mut self.vars[var.0 as usize];
        let head = found.head;
        (found.head, found.tail) = (NONE, NONE);
        head
    }

    fn tell_waiters(&mut self, var: VarId) {
        let mut at = self.take_waiters(var);
        while at != NONE {
            let Waiter { unit, next } = self.waiters[at as usize];
            self.waiters[at as usize].next = self.free_waiters;
            self.free_waiters = at;
            self.tell(unit);
            at = next;
        }
    }

    /// Lets a proxy stand for a variable.
    pub(super) fn connect(&mut self, proxy: VarId, var: VarId, place: Place) -> Result<()> {
        let listener = self.vars[proxy.0 as usize].meta;
        self.vars[proxy.0 as usize].link = var.0;
        if listener != NONE {
            let is_registered = self.listen(var, listener, place)?;
            self.vars[proxy.0 as usize].notifies = !is_registered;
        }
        let mut at = self.take_waiters(proxy);
        while at != NONE {
            let Waiter { unit, next } = self.waiters[at as usize];
            self.waiters[at as usize].next = self.free_waiters;
            self.free_waiters = at;
            self.enlist(unit, var);
            at = next;
        }
        Ok(())
    }

    /// Has a listener get what a variable has and will get; says whether it is one that does so.
    pub(super) fn listen(
        &mut self,
        var: VarId,
        listener: ListenerId,
        place: Place,
    ) -> Result<bool> {
        match self.vars[var.0 as usize].kind {
            Kind::Element => {
                let value = self.vars[var.0 as usize].value.clone();
                self.receive(listener, &value, place)?;
                Ok(true)
            }
            Kind::Many => {
                let mut at = 0;
                while let Some(value) = self.item(var, at) {
                    self.receive(listener, &value, place)?;
                    at += 1;
                }
                if !self.vars[var.0 as usize].is_ready {
                    let is_pure =
                        !matches!(self.listeners[listener as usize], Listener::Defined { .. });
                    let delayed = self.delayed_of(var);
                    let is_new =
                        delayed.listeners.get_or_insert_with(Box::default).insert(listener);
                    if !is_new || is_pure {
                        delayed.gradual += 1;
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// An item of a relation to several.
    fn item(&self, var: VarId, at: usize) -> Option<Value> {
        let found = &self.vars[var.0 as usize];
        match &found.value {
            Value::List(items) => items.get(at).cloned(),
            _ => self.delayed[found.link as usize].items.get(at).cloned(),
        }
    }

    /// Gives a value to a listener, each element of a list by itself.
    pub(super) fn receive_all(
        &mut self,
        listener: ListenerId,
        value: &Value,
        place: Place,
    ) -> Result<()> {
        if let Value::List(items) = value {
            for item in items.iter() {
                if self.receive(listener, item, place)? {
                    return Ok(());
                }
            }
            return Ok(());
        }
        self.receive(listener, value, place).map(|_| ())
    }

    /// Gives an element to a listener, which says whether it has enough.
    fn receive(&mut self, listener: ListenerId, value: &Value, place: Place) -> Result<bool> {
        self.depth += 1;
        if self.depth > DEPTH {
            self.depth -= 1;
            return Err(Error::new(Class::Runtime, "lists feed each other through too many steps"));
        }
        let result = match self.listeners[listener as usize] {
            Listener::For { stmt, scope } => self.iterate(stmt, scope, value).map(|()| false),
            Listener::Assign { var, by, instance } => {
                self.set(var, value, place, true).map(|()| false).map_err(|error| {
                    let attribute = self.vars[var.0 as usize].meta;
                    self.assignment_error(error, by, instance, attribute)
                })
            }
            Listener::Comprehension(number) => self.element(number, value, place).map(|()| false),
            Listener::Defined { target, expr } => {
                if value.is_unknown() {
                    Ok(false)
                } else {
                    self.set(target, &Value::Bool(true), Place::expr(expr), true).map(|()| true)
                }
            }
        };
        self.depth -= 1;
        result
    }

    /// An error of setting an attribute, with what set it.
    pub(super) fn assignment_error(
        &self,
        error: Box<Error>,
        by: Place,
        instance: InstanceId,
        attribute: u32,
    ) -> Box<Error> {
        if !error.class.is_runtime() {
            return error;
        }
        if error.class == Class::Attribute {
            return self.through(error, by);
        }
        let mut error = error;
        if error.class == Class::OptionalValue {
            error = self.replaced(error, by);
            error.location = Some(self.location(by));
        } else {
            error = self.through(error, by);
        }
        let name = self.program.attributes[attribute as usize].name;
        self.error_at(by, self.could_not_set(instance, name).caused_by(error))
    }

    fn could_not_set(&self, instance: InstanceId, name: Symbol) -> Box<Error> {
        let text = Value::Instance(instance).text(self);
        let name = self.program.name(name);
        let message = format!("Could not set attribute `{name}` on instance `{text}`");
        Error::new(Class::Attribute, message)
    }

    /// Sets an attribute of an instance.
    pub(super) fn set_attribute(
        &mut self,
        instance: InstanceId,
        name: Symbol,
        value: &Value,
        place: Place,
        recurs: bool,
    ) -> Result<()> {
        let var = self.slot_var(instance, name).ok_or_else(|| {
            let message = format!(
                "cannot set attribute with name {} on type {}",
                self.program.name(name),
                crate::value::Names::entity_name(self, instance)
            );
            Error::new(Class::NotFound, message)
        })?;
        self.set(var, value, place, recurs).map_err(|error| {
            if !error.class.is_runtime() {
                return error;
            }
            let text = Value::Instance(instance).text(self);
            let places = &self.instances[instance.0 as usize].places;
            let at = places.last().map(|place| self.location(*place));
            let mut wrapped = self.could_not_set(instance, name).caused_by(error);
            wrapped.location = at;
            wrapped.reporter = Some(Reporter { text, location: at });
            wrapped
        })
    }

    /// The variable of an attribute.
    pub(super) fn slot_var(&self, instance: InstanceId, name: Symbol) -> Option<VarId> {
        let instance = &self.instances[instance.0 as usize];
        if self.program.self_name == Some(name) {
            return Some(VarId(instance.first));
        }
        let entity = &self.program.entities[instance.entity as usize];
        if let Some(slot) = entity.slot_of.get(&name) {
            return Some(VarId(instance.first + 1 + slot));
        }
        None
    }

    fn double_set(&self, var: VarId, value: &Value, place: Place) -> Box<Error> {
        let found = &self.vars[var.0 as usize];
        let files = &self.program.files;
        let (old, new) = (self.location(found.place), self.location(place));
        let message = format!(
            "value set twice:\n\told value: {}\n\t\tset at {}\n\tnew value: {}\n\t\tset at {}\n",
            found.value.text(self),
            files.show(old),
            value.text(self),
            files.show(new)
        );
        let mut error = Error::new(Class::DoubleSet, message);
        let places = vec![(old, "first set here".into()), (new, "and set here again".into())];
        error.background = Some(Box::new(crate::error::Background { places, help: Vec::new() }));
        error
    }

    /// Sets a variable; `recurs` says whether the other end of a relation is set, too.
    pub(super) fn set(
        &mut self,
        var: VarId,
        value: &Value,
        place: Place,
        recurs: bool,
    ) -> Result<()> {
        match self.vars[var.0 as usize].kind {
            Kind::Plain | Kind::Element | Kind::Proxy => self.set_plain(var, value, place),
            Kind::One => self.set_one(var, value, place, recurs),
            Kind::Opt => self.set_opt(var, value, place, recurs),
            Kind::Many => self.set_many(var, value, place, recurs),
            Kind::Collected => {
                let delayed = self.delayed_of(var);
                match value {
                    Value::List(items) => delayed.items.extend(items.iter().cloned()),
                    _ => delayed.items.push(value.clone()),
                }
                Ok(())
            }
        }
    }

    fn set_plain(&mut self, var: VarId, value: &Value, place: Place) -> Result<()> {
        let found = &self.vars[var.0 as usize];
        if found.is_ready {
            let is_same = found.value == *value;
            return if is_same { Ok(()) } else { Err(self.double_set(var, value, place)) };
        }
        let ty = found.meta;
        if ty > 0 && !value.is_unknown() {
            self.validate(value, TypeId(ty - 1))?;
        }
        let found = &mut self.vars[var.0 as usize];
        (found.value, found.is_ready, found.place) = (value.clone(), true, place);
        self.tell_waiters(var);
        Ok(())
    }

    fn relation_type(&self, var: VarId) -> TypeId {
        self.program.attributes[self.vars[var.0 as usize].meta as usize].internal
    }

    fn end_name(&self, end: u32) -> Symbol {
        self.program.attributes[end as usize].name
    }

    fn set_one(&mut self, var: VarId, value: &Value, place: Place, recurs: bool) -> Result<()> {
        let found = &self.vars[var.0 as usize];
        let instance = InstanceId(found.link);
        if found.is_ready {
            let is_same = found.value == *value;
            return if is_same { Ok(()) } else { Err(self.double_set(var, value, place)) };
        }
        if !value.is_unknown() {
            self.validate(value, self.relation_type(var))?;
        }
        let found = &mut self.vars[var.0 as usize];
        (found.value, found.is_ready, found.place) = (value.clone(), true, place);
        if let (Some(end), true, Value::Instance(other)) = (self.multiplicity(var).2, recurs, value)
        {
            let name = self.end_name(end);
            self.set_attribute(*other, name, &Value::Instance(instance), place, false)?;
        }
        self.tell_waiters(var);
        Ok(())
    }

    fn set_opt(&mut self, var: VarId, value: &Value, place: Place, recurs: bool) -> Result<()> {
        let found = &self.vars[var.0 as usize];
        if found.is_ready {
            if matches!(found.value, Value::Null) {
                if matches!(value, Value::Null) {
                    return Ok(());
                }
                return Err(self.too_late(var, place, recurs));
            }
            if found.value != *value {
                return Err(self.double_set(var, value, place));
            }
        }
        if !matches!(value, Value::Unknown(_) | Value::Null) {
            self.validate(value, self.relation_type(var))?;
        }
        if let (Some(end), true, Value::Instance(other)) = (self.multiplicity(var).2, recurs, value)
        {
            let instance = InstanceId(self.delayed_of(var).instance);
            let name = self.end_name(end);
            self.set_attribute(*other, name, &Value::Instance(instance), place, false)?;
        }
        let found = &mut self.vars[var.0 as usize];
        (found.value, found.place) = (value.clone(), place);
        self.freeze(var, Reason::Full);
        Ok(())
    }

    fn has_item(&mut self, var: VarId, value: &Value) -> bool {
        let link = self.vars[var.0 as usize].link as usize;
        let is_ready = self.vars[var.0 as usize].is_ready;
        let few = |items: &[Value]| items.contains(value);
        if is_ready {
            let Value::List(items) = &self.vars[var.0 as usize].value else { return false };
            if items.len() <= FEW {
                return few(items);
            }
            let items = Rc::clone(items);
            let members = self.delayed[link]
                .members
                .get_or_insert_with(|| Box::new(items.iter().filter_map(member).collect()));
            return member(value).is_some_and(|value| members.contains(&value));
        }
        let delayed = &mut self.delayed[link];
        if delayed.items.len() <= FEW {
            return few(&delayed.items);
        }
        let items = &delayed.items;
        let members = delayed
            .members
            .get_or_insert_with(|| Box::new(items.iter().filter_map(member).collect()));
        member(value).is_some_and(|value| members.contains(&value))
    }

    fn set_many(&mut self, var: VarId, value: &Value, place: Place, recurs: bool) -> Result<()> {
        if let Value::Null = value {
            return self.set_empty(var, place);
        }
        let (_, high, end, _) = self.multiplicity(var);
        if self.vars[var.0 as usize].is_ready {
            let items: &[Value] = match value {
                Value::List(items) => items,
                single => std::slice::from_ref(single),
            };
            for item in items {
                if !self.has_item(var, item) {
                    return Err(self.late_item(var, place, recurs, high));
                }
            }
            return Ok(());
        }
        if let Value::List(items) = value {
            if items.is_empty() {
                self.queue_if_complete(var);
            }
            for item in items.iter() {
                self.set_many(var, item, place, recurs)?;
            }
            return Ok(());
        }
        self.validate(value, self.relation_type(var))?;
        if self.has_item(var, value) {
            self.queue_if_complete(var);
            return Ok(());
        }
        let delayed = self.delayed_of(var);
        delayed.items.push(value.clone());
        if let (Some(members), Some(member)) = (&mut delayed.members, member(value)) {
            members.insert(member);
        }
        let instance = InstanceId(delayed.instance);
        self.notify(var, value, place)?;
        if let (Some(end), true, Value::Instance(other)) = (end, recurs, value) {
            let name = self.end_name(end);
            self.set_attribute(*other, name, &Value::Instance(instance), place, false)?;
        }
        let count = self.delayed_of(var).items.len();
        if let Some(high) = high
            && !self.vars[var.0 as usize].is_ready
        {
            if count > high as usize {
                let items = Value::list(self.delayed_of(var).items.clone());
                let message = format!(
                    "List over full: max nr of items is {high}, content is {}",
                    items.repr(self)
                );
                return Err(Error::new(Class::Runtime, message));
            }
            if count == high as usize {
                self.freeze(var, Reason::Full);
            }
        }
        if !self.vars[var.0 as usize].is_ready {
            self.queue_if_complete(var);
        }
        Ok(())
    }

    fn set_empty(&mut self, var: VarId, place: Place) -> Result<()> {
        let items = match &self.vars[var.0 as usize].value {
            Value::List(items) => items.to_vec(),
            _ => self.delayed_of(var).items.clone(),
        };
        if items.is_empty() {
            self.freeze(var, Reason::Full);
            return Ok(());
        }
        let name = self.program.attributes[self.vars[var.0 as usize].meta as usize].name;
        let instance = Value::Instance(InstanceId(self.delayed_of(var).instance));
        let items: Vec<String> = items.iter().map(|item| item.text(self)).collect();
        let message = format!(
            "Trying to set relation attribute `{}` of instance `{}` to null but it has values `{}` \
             assigned already",
            self.program.name(name),
            instance.text(self),
            items.join(", ")
        );
        Err(Error::new(Class::Runtime, message).at(self.location(place)))
    }

    fn late_item(&self, var: VarId, place: Place, recurs: bool, high: Option<u32>) -> Box<Error> {
        let found = &self.vars[var.0 as usize];
        let count = if let Value::List(items) = &found.value { items.len() } else { 0 };
        if high != Some(count as u32) {
            return self.too_late(var, place, recurs);
        }
        let name = self.program.attributes[found.meta as usize].name;
        let instance = Value::Instance(InstanceId(self.delayed[found.link as usize].instance));
        let message = format!(
            "Exceeded relation arity on attribute '{}' of instance '{}'",
            self.program.name(name),
            instance.text(self)
        );
        Error::new(Class::Runtime, message).at(self.location(place))
    }

    fn notify(&mut self, var: VarId, value: &Value, place: Place) -> Result<()> {
        let Some(listeners) = &self.delayed_of(var).listeners else { return Ok(()) };
        let listeners: smallvec::SmallVec<[ListenerId; 4]> = listeners.iter().copied().collect();
        for listener in listeners {
            let is_done = self.receive(listener, value, place)?;
            if !is_done {
                continue;
            }
            let is_pure = !matches!(self.listeners[listener as usize], Listener::Defined { .. });
            let delayed = self.delayed_of(var);
            if !is_pure {
                delayed.gradual += 1;
            }
            if let Some(listeners) = &mut delayed.listeners {
                listeners.shift_remove(&listener);
            }
        }
        Ok(())
    }

    /// Freezes a variable: what it has is all that it gets.
    pub(super) fn freeze(&mut self, var: VarId, reason: Reason) {
        if self.vars[var.0 as usize].is_ready {
            return;
        }
        let mut waiters = Vec::new();
        if matches!(reason, Reason::Complete | Reason::Cycle) {
            let mut at = self.vars[var.0 as usize].head;
            while at != NONE && waiters.len() < 3 {
                let Waiter { unit, next } = self.waiters[at as usize];
                waiters.extend(self.place_of(unit));
                at = next;
            }
        }
        let delayed = self.delayed_of(var);
        delayed.is_queued = true;
        delayed.listeners = None;
        delayed.members = None;
        if !waiters.is_empty() || reason != Reason::Full {
            delayed.frozen_at = Some(Box::new(Frozen { waiters, reason }));
        }
        let is_in_zero = delayed.zero.is_some();
        let items = std::mem::take(&mut delayed.items);
        if is_in_zero {
            self.zero.frozen += 1;
        }
        let found = &mut self.vars[var.0 as usize];
        found.is_ready = true;
        if found.kind != Kind::Opt {
            found.value = Value::List(Rc::new(items));
        }
        self.tell_waiters(var);
    }

    /// That a value came after a freeze, with what led to it.
    fn too_late(&self, var: VarId, place: Place, recurs: bool) -> Box<Error> {
        let at = self.location(place);
        let mut error = Error::new(Class::ModifiedAfterFreeze, "List modified after freeze").at(at);
        let found = &self.vars[var.0 as usize];
        let attribute = &self.program.attributes[found.meta as usize];
        let delayed = &self.delayed[found.link as usize];
        let entity = &self.program.entities[attribute.entity as usize].full_name;
        let name = format!("{entity}.{}", self.program.name(attribute.name));
        let mut places = vec![(at, format!("this value for `{name}` comes too late"))];
        if let Some(frozen) = &delayed.frozen_at {
            let why = match frozen.reason {
                Reason::Cycle => "what would have to run before waits in a ring",
                Reason::End => "nothing was left to run",
                _ => "nobody had announced a further value",
            };
            for waiter in &frozen.waiters {
                let text = format!("this needed all values of `{name}`; {why}");
                places.push((self.location(*waiter), text));
            }
        }
        let mut help = vec![format!(
            "let this value be known before, or announce it: what assigns to `{name}` inside of \
             `if` or `for` is announced, what an implementation assigns is not"
        )];
        if !recurs {
            help.push(
                "the value comes from the other end of the relation: assign it from here".into(),
            );
        }
        help.push(format!(
            "or say in project.yml's relation_precedence_policy what is complete first: \
             `{name} before OTHER` or `OTHER before {name}`"
        ));
        error.background = Some(Box::new(crate::error::Background { places, help }));
        error
    }

    /// The value of a variable.
    ///
    /// # Errors
    /// If it is a relation without a value, or what is told of it fails.
    pub(super) fn get(&mut self, var: VarId, place: Place) -> Result<Value> {
        let Some(real) = self.behind(var) else { return Ok(Value::Null) };
        let found = &self.vars[real.0 as usize];
        if found.kind == Kind::Opt && matches!(found.value, Value::Null) {
            let attribute = &self.program.attributes[found.meta as usize];
            let entity = &self.program.entities[attribute.entity as usize].full_name;
            let instance = Value::Instance(InstanceId(self.delayed[found.link as usize].instance));
            let message = format!(
                "Optional variable accessed that has no value (attribute `{entity}.{}` of `{}`)",
                self.program.name(attribute.name),
                instance.text(self)
            );
            return Err(Error::new(Class::OptionalValue, message));
        }
        let value = found.value.clone();
        let mut at = var;
        while self.vars[at.0 as usize].kind == Kind::Proxy {
            let proxy = &mut self.vars[at.0 as usize];
            let (listener, next) = (proxy.meta, VarId(proxy.link));
            if std::mem::take(&mut proxy.notifies) {
                self.receive_all(listener, &value, place)?;
            }
            at = next;
        }
        Ok(value)
    }
}

/// An item as a member of a set.
fn member(value: &Value) -> Option<Member> {
    match value {
        Value::Instance(id) => Some(Member::Instance(*id)),
        Value::Unknown(unknown) => Some(Member::Unknown(Rc::as_ptr(unknown).addr())),
        _ => None,
    }
}
