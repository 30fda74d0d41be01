//! Sets and reads variables, and notifies units and listeners.

use super::net::Net;
use super::state::ids::{ListenerId, NONE, Place, UnitId};
use super::state::unit::Listener;
use super::state::variable::{Delayed, Kind, Reason, State, Var, Waiter};
use crate::diagnostics::{Background, Class, Error, Reporter, Result};
use crate::model::program::AttributeKind;
use crate::symbol::Symbol;
use crate::syntax::ast::ExprKind;
use crate::types::TypeId;
use crate::value::{InstanceId, Value, VarId};

/// The limit for settings that lead to further settings.
const MAX_DEPTH: u32 = 1000;

impl Net<'_> {
    fn push_var(&mut self, kind: Kind, meta: u32, link: u32) -> VarId {
        let id = VarId(self.vars.len() as u32);
        self.vars.push(Var {
            state: State::Open { head: NONE, tail: NONE },
            place: Place(NONE >> 1),
            meta,
            link,
            kind,
            notifies: false,
        });
        id
    }

    /// Creates a plain variable. Type 0 accepts all values.
    pub(super) fn plain(&mut self, ty: u32) -> VarId {
        self.push_var(Kind::Plain, ty, NONE)
    }

    pub(super) fn typed(&mut self, ty: TypeId) -> VarId {
        self.plain(ty.0 + 1)
    }

    /// Creates a variable with a value.
    pub(super) fn ready(&mut self, kind: Kind, value: Value, place: Place) -> VarId {
        let id = self.push_var(kind, 0, NONE);
        let var = &mut self.vars[id.0 as usize];
        (var.state, var.place) = (State::Ready(value), place);
        id
    }

    pub(super) fn proxy(&mut self, listener: Option<ListenerId>) -> VarId {
        self.push_var(Kind::Proxy, listener.unwrap_or(NONE), NONE)
    }

    fn delay(&mut self, kind: Kind, attribute: u32, instance: u32) -> VarId {
        let link = self.delayed.len() as u32;
        self.delayed.push(Delayed { instance, zero: NONE, ..Delayed::default() });
        self.push_var(kind, attribute, link)
    }

    pub(super) fn collected(&mut self) -> VarId {
        self.delay(Kind::Collected, NONE, NONE)
    }

    /// Creates the variable of a slot.
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
            // An attribute named `self` is the instance itself.
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
        self.behind(var).is_some_and(|var| self.vars[var.0 as usize].is_ready())
    }

    pub(super) fn delayed_of(&mut self, var: VarId) -> &mut Delayed {
        let link = self.vars[var.0 as usize].link;
        &mut self.delayed[link as usize]
    }

    pub(super) fn is_delayed(&self, var: VarId) -> bool {
        matches!(self.vars[var.0 as usize].kind, Kind::Opt | Kind::Many | Kind::Collected)
    }

    pub(super) fn is_many(&self, var: VarId) -> bool {
        self.vars[var.0 as usize].kind == Kind::Many
    }

    /// The number of open promises.
    pub(super) fn providers(&self, var: VarId) -> u32 {
        let delayed = &self.delayed[self.vars[var.0 as usize].link as usize];
        if self.vars[var.0 as usize].is_ready() { 0 } else { delayed.promises }
    }

    pub(super) fn multiplicity(&self, var: VarId) -> (u32, Option<u32>, Option<u32>, bool) {
        match self.program.attributes[self.vars[var.0 as usize].meta as usize].kind {
            AttributeKind::Relation { low, high, end, precedes, .. } => (low, high, end, precedes),
            AttributeKind::Plain => (1, Some(1), None, false),
        }
    }

    /// Whether a freeze would let a unit run.
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

    pub(super) fn is_complete(&self, var: VarId) -> bool {
        let found = &self.vars[var.0 as usize];
        let delayed = &self.delayed[found.link as usize];
        match found.kind {
            Kind::Opt => self.providers(var) == 0,
            Kind::Many => {
                let count = match found.value() {
                    Value::List(items) => items.len(),
                    _ => delayed.items().len(),
                };
                count >= self.multiplicity(var).0 as usize && self.providers(var) == 0
            }
            _ => found.is_ready(),
        }
    }

    /// Whether the variable may be frozen at the end.
    pub(super) fn can_get(&self, var: VarId) -> bool {
        if self.is_delayed(var) { self.is_complete(var) } else { self.is_ready(var) }
    }

    pub(super) fn queue_if_complete(&mut self, var: VarId) {
        if self.vars[var.0 as usize].is_ready() || !self.is_complete(var) {
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
        if self.is_delayed(var) && !self.vars[var.0 as usize].is_ready() {
            let delayed = self.delayed_of(var);
            delayed.promises = delayed.promises.wrapping_add(1);
        }
    }

    /// Keeps a promise.
    pub(super) fn keep(&mut self, var: VarId) {
        if !self.is_delayed(var) || self.vars[var.0 as usize].is_ready() {
            return;
        }
        let delayed = self.delayed_of(var);
        // A promise that is fulfilled twice, or before it is made, makes the count wrong, as in the
        // original.
        delayed.promises = delayed.promises.wrapping_sub(1);
        if self.vars[var.0 as usize].kind == Kind::Collected {
            if self.providers(var) == 0 {
                self.freeze(var, Reason::Complete);
            }
        } else {
            self.queue_if_complete(var);
        }
    }

    /// Adds a unit to the waiters of a variable.
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
        if self.vars[id.0 as usize].is_ready() {
            self.wake(unit);
            return;
        }
        let node = self.waiter(unit);
        if let State::Open { head, tail } = &mut self.vars[id.0 as usize].state {
            match *tail {
                NONE => *head = node,
                last => self.waiters[last as usize].next = node,
            }
            *tail = node;
        }
        if self.is_delayed(id) {
            let delayed = self.delayed_of(id);
            delayed.waiters += 1;
            if delayed.zero != NONE && !std::mem::replace(&mut delayed.is_woken, true) {
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

    /// Notifies a unit that a variable is ready.
    pub(super) fn wake(&mut self, unit: UnitId) {
        let found = &mut self.units[unit as usize];
        found.waits -= 1;
        if found.waits == 0 {
            self.running.push_back(unit);
        }
    }

    /// Takes the waiters of a variable.
    fn take_waiters(&mut self, var: VarId) -> u32 {
        match &mut self.vars[var.0 as usize].state {
            State::Open { head, tail } => {
                *tail = NONE;
                std::mem::replace(head, NONE)
            }
            State::Ready(_) => NONE,
        }
    }

    /// Sets the value of a variable. Returns the waiters, which the caller must notify.
    pub(super) fn settle(&mut self, var: VarId, value: Value) -> u32 {
        let waiters = self.take_waiters(var);
        self.vars[var.0 as usize].state = State::Ready(value);
        waiters
    }

    /// Notifies the waiters of a variable.
    pub(super) fn wake_all(&mut self, waiters: u32) {
        let mut at = waiters;
        while at != NONE {
            let Waiter { unit, next } = self.waiters[at as usize];
            self.waiters[at as usize].next = self.free_waiters;
            self.free_waiters = at;
            self.wake(unit);
            at = next;
        }
    }

    /// Connects a proxy to a variable.
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

    /// Adds a listener to a variable; it gets present and later items. Returns whether the variable
    /// has items.
    pub(super) fn listen(
        &mut self,
        var: VarId,
        listener: ListenerId,
        place: Place,
    ) -> Result<bool> {
        match self.vars[var.0 as usize].kind {
            Kind::Element => {
                let value = self.vars[var.0 as usize].value().clone();
                self.receive(listener, &value, place)?;
                Ok(true)
            }
            Kind::Many => {
                let mut at = 0;
                while let Some(value) = self.item(var, at) {
                    self.receive(listener, &value, place)?;
                    at += 1;
                }
                if !self.vars[var.0 as usize].is_ready() {
                    let is_pure =
                        !matches!(self.listeners[listener as usize], Listener::Defined { .. });
                    let delayed = self.delayed_of(var);
                    let rare = delayed.rare.get_or_insert_with(Box::default);
                    let is_new = rare.listeners.insert(listener);
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
        match found.value() {
            Value::List(items) => items.get(at).cloned(),
            _ => self.delayed[found.link as usize].items().get(at).cloned(),
        }
    }

    /// Passes a value to a listener; a list element by element.
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

    /// Passes an element to a listener. Returns whether it needs no more.
    pub(super) fn receive(
        &mut self,
        listener: ListenerId,
        value: &Value,
        place: Place,
    ) -> Result<bool> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
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

    /// Records the assignment that caused an error.
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
        self.point_at_argument(&mut error, by, attribute);
        self.error_at(by, self.could_not_set(instance, name).caused_by(error))
    }

    /// Moves the focus of an error to the argument of the constructor.
    fn point_at_argument(&self, error: &mut Error, by: Place, attribute: u32) {
        let name = self.program.attributes[attribute as usize].name;
        if let Some(at) = self.argument(by, name) {
            let about = self.program.about_attribute(attribute, at);
            let background = error.background.get_or_insert_default();
            background.focus = about.focus;
            background.places.extend(about.places);
        }
    }

    /// The place where a constructor names an attribute.
    fn argument(&self, by: Place, attribute: Symbol) -> Option<crate::location::Location> {
        let ExprKind::New(new) = self.program.ast.exprs[by.as_expr()?].kind else { return None };
        let names = self.program.ast.names.list(self.program.ast.news[new].names);
        names.iter().find(|name| name.symbol == attribute).map(|name| name.at)
    }

    pub(super) fn could_not_set(&self, instance: InstanceId, name: Symbol) -> Box<Error> {
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
        self.set(var, value, place, recurs).map_err(|mut error| {
            if !error.class.is_runtime() {
                return error;
            }
            let entity = self.instances[instance.0 as usize].entity;
            if let Some(attribute) = self.program.attribute(entity, name) {
                self.point_at_argument(&mut error, place, attribute);
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

    pub(super) fn double_set(&self, var: VarId, value: &Value, place: Place) -> Box<Error> {
        let found = &self.vars[var.0 as usize];
        let files = &self.program.files;
        let (old, new) = (self.location(found.place), self.location(place));
        let message = format!(
            "value set twice:\n\told value: {}\n\t\tset at {}\n\tnew value: {}\n\t\tset at {}\n",
            found.value().text(self),
            files.show(old),
            value.text(self),
            files.show(new)
        );
        let mut error = Error::new(Class::DoubleSet, message);
        let places = vec![(old, "first set here".into()), (new, "and set here again".into())];
        error.background = Some(Box::new(Background { places, ..Background::default() }));
        error
    }

    /// Sets a variable. `recurs` tells whether the other end of a relation is set, too.
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
                self.items += if let Value::List(items) = value { items.len() } else { 1 };
                let delayed = self.delayed_of(var);
                match value {
                    Value::List(items) => delayed.items_mut().extend(items.iter().cloned()),
                    _ => delayed.items_mut().push(value.clone()),
                }
                Ok(())
            }
        }
    }

    fn set_plain(&mut self, var: VarId, value: &Value, place: Place) -> Result<()> {
        let found = &self.vars[var.0 as usize];
        if found.is_ready() {
            let is_same = found.value() == value;
            return if is_same { Ok(()) } else { Err(self.double_set(var, value, place)) };
        }
        let ty = found.meta;
        if ty > 0 && !value.is_unknown() {
            self.validate(value, TypeId(ty - 1))?;
        }
        self.vars[var.0 as usize].place = place;
        let waiters = self.settle(var, value.clone());
        self.wake_all(waiters);
        Ok(())
    }

    /// The value of a variable.
    ///
    /// # Errors
    /// If it is a relation without a value, or a listener fails.
    pub(super) fn get(&mut self, var: VarId, place: Place) -> Result<Value> {
        let Some(real) = self.behind(var) else { return Ok(Value::Null) };
        let found = &self.vars[real.0 as usize];
        if found.kind == Kind::Opt && matches!(found.value(), Value::Null) {
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
        let value = found.value().clone();
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
