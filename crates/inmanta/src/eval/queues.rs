//! The main loop: runs units, and freezes variables when no unit can run.

use std::collections::VecDeque;

use super::net::Net;
use super::state::ids::NONE;
use super::state::queue::WaitQueue;
use super::state::variable::Reason;
use crate::diagnostics::{Class, Error, Result};
use crate::model::program::AttributeKind;
use crate::value::VarId;

/// The default limit for iterations of the main loop.
pub const DEFAULT_LIMIT: u64 = 10_000_000;

impl Net<'_> {
    /// Creates the queue with a lane for each relation that has a precedence rule.
    pub(super) fn precedence(&mut self) -> Result<WaitQueue> {
        let rules = self.settings.precedence.clone();
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for [entity, relation, then_entity, then_relation] in &rules {
            let first = self.relation_of_rule(entity, relation)?;
            let then = self.relation_of_rule(then_entity, then_relation)?;
            if let AttributeKind::Relation { precedes, .. } =
                &mut self.program.attributes[first as usize].kind
            {
                *precedes = true;
            }
            if !edges.contains(&(first, then)) {
                edges.push((first, then));
            }
        }
        order(&edges).map(|order| WaitQueue::new(&order)).ok_or_else(|| {
            let message = "A cycle exists in the relation precedence policy";
            Error::new(Class::CycleInRelationPrecedencePolicy, message)
        })
    }

    fn relation_of_rule(&self, entity: &str, relation: &str) -> Result<u32> {
        let fail = |message| Err(Error::new(Class::InvalidRelationPrecedenceRule, message));
        let program = &self.program;
        let Some(id) = program.entities.iter().position(|e| e.full_name == entity) else {
            if program.typedefs.iter().any(|typedef| typedef.full_name == entity) {
                let message =
                    format!("A relation precedence rule was defined for non-entity type {entity}");
                return fail(message);
            }
            let message = format!(
                "A relation precedence rule was defined for {entity}, but no such type was defined"
            );
            return fail(message);
        };
        let symbol = program.ast.symbols.get(relation);
        let attribute = symbol.and_then(|name| program.entities[id].own_names.get(&name));
        match attribute {
            None => fail(format!(
                "A relation precedence rule was defined for {entity}.{relation}, but entity \
                 {entity} doesn't have an attribute {relation}."
            )),
            Some(&id) if !program.attributes[id as usize].is_relation() => fail(format!(
                "A relation precedence rule was defined for {entity}.{relation}, but attribute \
                 {relation} is not a relationship attribute."
            )),
            Some(&id) => Ok(id),
        }
    }

    fn run_all(&mut self) -> Result<()> {
        while let Some(unit) = self.running.pop_front() {
            if self.run_unit(unit)? {
                self.done(unit);
            }
        }
        Ok(())
    }

    /// Runs until nothing is left to run or to freeze.
    pub(super) fn turn(&mut self) -> Result<()> {
        let limit = self.settings.limit;
        let mut turns = 0;
        while turns < limit {
            if self.running.is_empty() && self.waiting.count == 0 && self.zero.count == 0 {
                return Ok(());
            }
            turns += 1;
            self.run_all()?;
            if !self.freeze_waiting() && !self.freeze_woken() && !self.break_cycle() {
                self.freeze_rest();
            }
        }
        let message = format!("Could not complete model, max_iterations {limit} reached.");
        Err(Error::new(Class::Compiler, message))
    }

    /// Freezes the next variable that a unit waits for.
    fn freeze_waiting(&mut self) -> bool {
        while let Some(var) = self.waiting.pop() {
            if self.vars[var.0 as usize].is_ready() {
                continue;
            }
            if !self.potential(var) {
                self.put_in_zero(var);
            } else if self.providers(var) > 0 {
                self.unqueue(var);
            } else {
                self.freeze(var, Reason::Complete);
                return true;
            }
        }
        false
    }

    fn put_in_zero(&mut self, var: VarId) {
        let number = self.zero.next;
        self.zero.next += 1;
        self.zero.count += 1;
        self.zero.entries.push_back((var, number));
        let link = self.vars[var.0 as usize].link as usize;
        self.delayed[link].zero = number;
    }

    fn zero_number(&self, var: VarId) -> u32 {
        self.delayed[self.vars[var.0 as usize].link as usize].zero
    }

    /// Freezes the next variable that had no waiters before and has some now.
    fn freeze_woken(&mut self) -> bool {
        self.zero.count -= std::mem::take(&mut self.zero.frozen);
        let mut woken = std::mem::take(&mut self.zero.woken);
        for var in &woken {
            let link = self.vars[var.0 as usize].link as usize;
            self.delayed[link].is_woken = false;
        }
        woken.retain(|var| {
            !self.vars[var.0 as usize].is_ready()
                && self.zero_number(*var) != NONE
                && self.potential(*var)
        });
        woken.sort_by_key(|var| self.zero_number(*var));
        self.waiting.reset();
        for var in woken {
            self.zero.count -= 1;
            let link = self.vars[var.0 as usize].link as usize;
            self.delayed[link].zero = NONE;
            let attribute = self.vars[var.0 as usize].meta;
            self.waiting.push(var, attribute);
        }
        self.waiting.at = 0;
        while let Some(var) = self.waiting.pop() {
            if self.providers(var) > 0 {
                self.unqueue(var);
            } else {
                self.freeze(var, Reason::Complete);
                return true;
            }
        }
        false
    }

    /// Freezes a variable of units that wait for each other.
    fn break_cycle(&mut self) -> bool {
        let mut living: Vec<(u64, u32)> = self
            .units
            .iter()
            .enumerate()
            .filter(|(_, unit)| !unit.requires.is_empty())
            .map(|(i, unit)| (unit.sequence, i as u32))
            .collect();
        living.sort_unstable();
        let mut queue = WaitQueue {
            lane_of: self.waiting.lane_of.clone(),
            lanes: self.waiting.lanes.iter().map(|_| VecDeque::new()).collect(),
            ..WaitQueue::default()
        };
        for (_, unit) in living {
            for i in 0..self.units[unit as usize].requires.len() {
                let var = self.units[unit as usize].requires[i];
                let Some(var) = self.behind(var) else { continue };
                if self.is_delayed(var)
                    && !self.vars[var.0 as usize].is_ready()
                    && self.providers(var) > 0
                    && self.potential(var)
                {
                    queue.push(var, self.vars[var.0 as usize].meta);
                }
            }
            if !queue.free.is_empty() {
                break;
            }
        }
        match queue.pop() {
            Some(var) => {
                self.freeze(var, Reason::Cycle);
                true
            }
            None => false,
        }
    }

    fn freeze_rest(&mut self) {
        while let Some((var, number)) = self.zero.entries.pop_back() {
            if self.zero_number(var) == number {
                self.freeze_last(var);
            }
        }
        (self.zero.count, self.zero.frozen) = (0, 0);
    }
}

/// The order of relations by their rules; `None` if the rules form a cycle.
fn order(edges: &[(u32, u32)]) -> Option<Vec<u32>> {
    let mut nodes: Vec<u32> = Vec::new();
    for (first, then) in edges {
        for node in [first, then] {
            if !nodes.contains(node) {
                nodes.push(*node);
            }
        }
    }
    let is_then = |node: &u32| edges.iter().any(|(_, then)| then == node);
    let mut work: Vec<u32> = nodes.iter().copied().filter(|node| !is_then(node)).collect();
    let mut result: Vec<u32> = Vec::new();
    while !work.is_empty() {
        let is_free =
            |node: &u32| edges.iter().all(|(first, then)| then != node || result.contains(first));
        let at = work.iter().position(is_free)?;
        let node = work.remove(at);
        if result.contains(&node) {
            return None;
        }
        result.push(node);
        for (first, then) in edges {
            if *first == node && !work.contains(then) {
                work.push(*then);
            }
        }
    }
    (result.len() == nodes.len()).then_some(result)
}
