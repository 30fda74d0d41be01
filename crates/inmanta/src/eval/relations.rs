//! Relations: sets values on both ends, and freezes lists.

use std::rc::Rc;

use smallvec::SmallVec;

use super::net::Net;
use super::state::ids::{ListenerId, NONE, Place};
use super::state::unit::Listener;
use super::state::variable::{Kind, Member, RareFields, Reason, State, Waiter};
use crate::diagnostics::explanation::{Explanation, LateAssignment, Reverse};
use crate::diagnostics::{Background, Class, Error, Result};
use crate::model::program::AttributeKind;
use crate::symbol::Symbol;
use crate::syntax::ast::{ExprKind, StmtKind};
use crate::types::TypeId;
use crate::value::{InstanceId, Value, VarId};

/// The size up to which a relation is searched linearly.
const MAX_LINEAR_SEARCH: usize = 8;

impl Net<'_> {
    fn relation_type(&self, var: VarId) -> TypeId {
        self.program.attributes[self.vars[var.0 as usize].meta as usize].internal
    }

    fn end_name(&self, end: u32) -> Symbol {
        self.program.attributes[end as usize].name
    }

    pub(super) fn set_one(
        &mut self,
        var: VarId,
        value: &Value,
        place: Place,
        recurs: bool,
    ) -> Result<()> {
        let found = &self.vars[var.0 as usize];
        let instance = InstanceId(found.link);
        if found.is_ready() {
            let is_same = found.value() == value;
            return if is_same { Ok(()) } else { Err(self.double_set(var, value, place)) };
        }
        if !value.is_unknown() {
            self.validate(value, self.relation_type(var))?;
        }
        self.vars[var.0 as usize].place = place;
        let waiters = self.settle(var, value.clone());
        if let (Some(end), true, Value::Instance(other)) = (self.multiplicity(var).2, recurs, value)
        {
            let name = self.end_name(end);
            self.set_attribute(*other, name, &Value::Instance(instance), place, false)?;
        }
        self.wake_all(waiters);
        Ok(())
    }

    pub(super) fn set_opt(
        &mut self,
        var: VarId,
        value: &Value,
        place: Place,
        recurs: bool,
    ) -> Result<()> {
        let found = &self.vars[var.0 as usize];
        if found.is_ready() {
            if matches!(found.value(), Value::Null) {
                if matches!(value, Value::Null) {
                    return Ok(());
                }
                return Err(self.too_late(var, value, place, recurs));
            }
            if found.value() != value {
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
        found.place = place;
        if found.is_ready() {
            // Setting the other end ran a listener that set this one. The first value stays.
            found.state = State::Ready(value.clone());
        } else {
            self.freeze_with(var, Reason::Full, Some(value.clone()));
        }
        Ok(())
    }

    fn has_item(&mut self, var: VarId, value: &Value) -> bool {
        let found = &self.vars[var.0 as usize];
        let delayed = &mut self.delayed[found.link as usize];
        let items: &[Value] = match found.value() {
            Value::List(items) if found.is_ready() => items,
            _ if found.is_ready() => return false,
            _ => delayed.items.as_ref().map_or(&[], |items| items),
        };
        if items.len() <= MAX_LINEAR_SEARCH {
            return items.contains(value);
        }
        let rare = delayed.rare.get_or_insert_with(Box::default);
        if rare.members.is_empty() {
            rare.members = items.iter().filter_map(member).collect();
        }
        member(value).is_some_and(|value| rare.members.contains(&value))
    }

    pub(super) fn set_many(
        &mut self,
        var: VarId,
        value: &Value,
        place: Place,
        recurs: bool,
    ) -> Result<()> {
        if let Value::Null = value {
            return self.set_empty(var, place);
        }
        let (_, high, end, _) = self.multiplicity(var);
        if self.vars[var.0 as usize].is_ready() {
            let items: &[Value] = match value {
                Value::List(items) => items,
                single => std::slice::from_ref(single),
            };
            return match items.iter().all(|item| self.has_item(var, item)) {
                true => Ok(()),
                false => Err(self.late_item(var, value, place, recurs, high)),
            };
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
        self.items += 1;
        let delayed = self.delayed_of(var);
        delayed.items_mut().push(value.clone());
        if let (Some(rare), Some(member)) = (&mut delayed.rare, member(value))
            && !rare.members.is_empty()
        {
            rare.members.insert(member);
        }
        let instance = InstanceId(delayed.instance);
        self.notify(var, value, place)?;
        if let (Some(end), true, Value::Instance(other)) = (end, recurs, value) {
            let name = self.end_name(end);
            self.set_attribute(*other, name, &Value::Instance(instance), place, false)?;
        }
        if let Some(high) = high
            && !self.vars[var.0 as usize].is_ready()
        {
            self.freeze_if_full(var, high)?;
        }
        if !self.vars[var.0 as usize].is_ready() {
            self.queue_if_complete(var);
        }
        Ok(())
    }

    fn freeze_if_full(&mut self, var: VarId, high: u32) -> Result<()> {
        let count = self.delayed_of(var).items().len();
        if count > high as usize {
            let items = Value::list(self.delayed_of(var).items().to_vec());
            let message = format!(
                "List over full: max nr of items is {high}, content is {}",
                items.repr(self)
            );
            return Err(Error::new(Class::Runtime, message));
        }
        if count == high as usize {
            self.freeze(var, Reason::Full);
        }
        Ok(())
    }

    fn set_empty(&mut self, var: VarId, place: Place) -> Result<()> {
        let items = match self.vars[var.0 as usize].value() {
            Value::List(items) => items.to_vec(),
            _ => self.delayed_of(var).items().to_vec(),
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

    fn late_item(
        &self,
        var: VarId,
        value: &Value,
        place: Place,
        recurs: bool,
        high: Option<u32>,
    ) -> Box<Error> {
        let found = &self.vars[var.0 as usize];
        let count = if let Value::List(items) = found.value() { items.len() } else { 0 };
        if high != Some(count as u32) {
            return self.too_late(var, value, place, recurs);
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
        let Some(rare) = &self.delayed_of(var).rare else { return Ok(()) };
        let listeners: SmallVec<[ListenerId; 4]> = rare.listeners.iter().copied().collect();
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
            if let Some(rare) = &mut delayed.rare {
                rare.listeners.shift_remove(&listener);
            }
        }
        Ok(())
    }

    /// Freezes a variable: it gets no further values.
    pub(super) fn freeze(&mut self, var: VarId, reason: Reason) {
        self.freeze_with(var, reason, None);
    }

    /// Freezes a variable that is not a list. Its value is `null` unless one is given.
    fn freeze_with(&mut self, var: VarId, reason: Reason, value: Option<Value>) {
        if self.vars[var.0 as usize].is_ready() {
            return;
        }
        let waited = match reason {
            Reason::Complete | Reason::Cycle => self.waiting_places(var),
            Reason::End | Reason::Full => SmallVec::new(),
        };
        let delayed = self.delayed_of(var);
        delayed.is_queued = true;
        delayed.reason = reason;
        delayed.rare =
            (!waited.is_empty()).then(|| Box::new(RareFields { waited, ..RareFields::default() }));
        let is_in_zero = delayed.zero != NONE;
        let items = delayed.items.take();
        if is_in_zero {
            self.zero.frozen += 1;
        }
        let value = match self.vars[var.0 as usize].kind {
            Kind::Opt => value.unwrap_or_default(),
            _ => items.map_or_else(|| self.empty.clone(), Value::List),
        };
        let waiters = self.settle(var, value);
        self.wake_all(waiters);
    }

    /// The places of some units that wait for a variable.
    fn waiting_places(&self, var: VarId) -> SmallVec<[Place; 3]> {
        let mut places = SmallVec::new();
        let mut at = match self.vars[var.0 as usize].state {
            State::Open { head, .. } => head,
            State::Ready(_) => NONE,
        };
        while at != NONE && places.len() < 3 {
            let Waiter { unit, next } = self.waiters[at as usize];
            places.extend(self.place_of(unit));
            at = next;
        }
        places
    }

    /// The error that a value was assigned after a freeze, with the reason of the freeze.
    fn too_late(&self, var: VarId, value: &Value, place: Place, recurs: bool) -> Box<Error> {
        let at = self.location(place);
        let mut error = Error::new(Class::ModifiedAfterFreeze, "List modified after freeze").at(at);
        let found = &self.vars[var.0 as usize];
        let attribute = &self.program.attributes[found.meta as usize];
        let delayed = &self.delayed[found.link as usize];
        let entity = &self.program.entities[attribute.entity as usize].full_name;
        let name = format!("{entity}.{}", self.program.name(attribute.name));
        let mut places = vec![(at, format!("this value for `{name}` is assigned too late"))];
        if let Some(rare) = &delayed.rare {
            let why = match delayed.reason {
                Reason::Cycle => "the statements that could add to it wait for each other",
                Reason::End => "no statement was left to run",
                _ => "no statement had announced a further value",
            };
            for waiter in &rare.waited {
                let text = format!("this needed all values of `{name}`; {why}");
                places.push((self.location(*waiter), text));
            }
        }
        let mut help = vec![format!(
            "assign this value earlier, or announce it: assignments to `{name}` inside `if` and \
             `for` are announced, those in implementations are not"
        )];
        if !recurs {
            help.push(
                "the value comes from the other end of the relation: assign it from here".into(),
            );
        }
        help.push(format!(
            "or set the order of relations in project.yml's relation_precedence_policy: \
             `{name} before OTHER` or `OTHER before {name}`"
        ));
        error.background = Some(Box::new(Background { places, help, ..Background::default() }));
        error.explanation = Some(self.explain_late(var, value, place, recurs));
        error
    }

    fn explain_late(&self, var: VarId, value: &Value, place: Place, recurs: bool) -> Explanation {
        let found = &self.vars[var.0 as usize];
        let attribute = &self.program.attributes[found.meta as usize];
        let instance = InstanceId(self.delayed[found.link as usize].instance);
        let values = match found.value() {
            Value::List(items) => Some(items.iter().map(|item| item.text(self)).collect()),
            _ => None,
        };
        Explanation::LateAssignment(Box::new(LateAssignment {
            relation: self.program.name(attribute.name).to_owned(),
            instance: Value::Instance(instance).text(self),
            values,
            value: value.text(self),
            at: self.program.files.show(self.location(place)),
            reverse: (!recurs).then_some(Reverse { relation: found.meta, hint: None }),
        }))
    }

    /// Records the statement that an error passes through in its explanation and those of its
    /// causes: only if there is none yet, or always if `replace` is set.
    pub(super) fn note_statements(&self, error: &mut Error, place: Place, replaces: bool) {
        for cause in &mut error.causes {
            self.note_statements(cause, place, replaces);
        }
        if replaces || error.reporter.is_none() {
            self.note_statement(error, place);
        }
    }

    /// Records the statement of an error in its explanation.
    pub(super) fn note_statement(&self, error: &mut Error, place: Place) {
        if let Some(Explanation::LateAssignment(late)) = &mut error.explanation
            && let Some(reverse) = &mut late.reverse
        {
            reverse.hint = self.reversed(reverse.relation, place);
        }
    }

    /// The statement that sets a relation from its own side instead of the inverse.
    fn reversed(&self, relation: u32, place: Place) -> Option<String> {
        let ast = &self.program.ast;
        let attribute = &self.program.attributes[relation as usize];
        let name = self.program.name(attribute.name);
        if let Some(expr) = place.as_expr() {
            let ExprKind::New(new) = ast.exprs[expr].kind else { return None };
            let end = match attribute.kind {
                AttributeKind::Relation { end: Some(end), .. } => Some(self.end_name(end)),
                _ => None,
            };
            let names = ast.names.list(ast.news[new].names).iter();
            let mut given = names.zip(ast.lists.list(ast.news[new].values));
            let given = given.find(|(name, _)| Some(name.symbol) == end);
            let object = given.map_or_else(|| "?".into(), |(_, value)| ast.pretty(*value));
            return Some(format!("{object}.{name} = {}", ast.pretty(expr)));
        }
        let (left, value) = match &ast.stmts[place.as_stmt()?].kind {
            StmtKind::SetAttr { base, value, .. } => (ast.pretty(*base), *value),
            StmtKind::Assign(left, _, value) => (self.program.name(left.symbol).into(), *value),
            _ => return None,
        };
        Some(format!("{}.{name} = {left}", ast.pretty(value)))
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
