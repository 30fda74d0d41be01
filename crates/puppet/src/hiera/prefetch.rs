//! Consecutive levels with the same function in Ruby. The `ruby` process is asked for all of them
//! in one message, and stops at the first level that has the key.

use std::collections::VecDeque;
use std::sync::Arc;

use super::config::FunctionKind;
use super::context::FunctionCall;
use super::key::LookupKey;
use super::lookup::Lookup;
use super::merge::Strategy;
use crate::error::EvalResult;
use crate::hiera::state::{Answers, CachedLevels, Location, ResolvedLevel};
use crate::value::Value;

/// The maximal number of levels in a message.
const MAX_LEVELS: usize = 16;

impl Answers {
    /// The answer of the current level. The other answers are dropped if it was not the next one.
    fn take(&mut self, id: usize, key: &str) -> Option<Option<Value>> {
        match self.values.pop_front() {
            Some((known, value)) if known == id && self.key == key => Some(value),
            _ => {
                self.values.clear();
                None
            }
        }
    }
}

impl Lookup<'_, '_> {
    /// The value of a key from the function of a level; `None` if it finds nothing. The levels
    /// after it are asked in the same message.
    pub(super) fn call_key_function(
        &mut self,
        call: &FunctionCall<'_>,
        key: &LookupKey,
    ) -> EvalResult<Option<Value>> {
        if let Some(value) = self.answers.take(call.id, &key.root) {
            return Ok(value);
        }
        let args = vec![Value::Str(key.root.clone())];
        let Some(levels) = self.levels.clone().filter(|_| self.may_prefetch(call)) else {
            return self.call(call, args);
        };
        let mut calls = vec![FunctionCall { ..*call }];
        for (level, location) in following(&levels, call) {
            let id = self.context_of(level, location);
            if calls.len() == MAX_LEVELS || self.c.hiera.contexts[id].has_value(&key.root) {
                break;
            }
            calls.push(FunctionCall { provider: call.provider, level, location, id });
        }
        if calls.len() == 1 {
            return self.call(call, args);
        }
        let (reached, value) = self.call_until_found(&calls, &args)?;
        let mut values: VecDeque<_> = calls[..reached].iter().map(|call| (call.id, None)).collect();
        if let Some((_, last)) = values.back_mut() {
            *last = value;
        }
        let own = values.pop_front().and_then(|(_, value)| value);
        self.answers = Answers { key: key.root.clone(), values };
        Ok(own)
    }

    /// Whether the levels after this one differ from it in their location only.
    fn may_prefetch(&self, call: &FunctionCall<'_>) -> bool {
        self.strategy == Strategy::First
            && self.c.hiera.explainer.is_none()
            && self.first_paths.is_empty()
            && call.level.kind == FunctionKind::LookupKey
    }
}

/// The following levels and locations with the same function.
fn following<'l>(
    levels: &'l CachedLevels,
    call: &FunctionCall<'_>,
) -> Vec<(&'l ResolvedLevel, Option<&'l Location>)> {
    let is_own = |level: &Arc<ResolvedLevel>| std::ptr::eq(&**level, call.level);
    let Some(own) = levels.main.iter().position(is_own) else { return Vec::new() };
    let mut out = Vec::new();
    let mut is_behind = false;
    for level in &levels.main[own..] {
        if !level.exists() {
            continue;
        }
        let is_same = level.kind == call.level.kind && level.function == call.level.function;
        if !is_same || out.len() >= MAX_LEVELS {
            break;
        }
        let Some(locations) = &level.locations else {
            if is_behind {
                out.push((&**level, None));
            }
            is_behind = true;
            continue;
        };
        for location in locations {
            if is_behind && location.exists() {
                out.push((&**level, Some(location)));
            }
            is_behind |= call.location.is_some_and(|own| std::ptr::eq(own, location));
        }
    }
    out
}
