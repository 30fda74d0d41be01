//! The queues of variables that may be frozen.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::value::VarId;

/// Variables that may be frozen. Relations without a precedence rule come first, then a lane for
/// each relation with rules.
#[derive(Debug, Default)]
pub(in crate::eval) struct WaitQueue {
    pub(in crate::eval) free: VecDeque<VarId>,
    /// The lane of an attribute.
    pub(in crate::eval) lane_of: FxHashMap<u32, usize>,
    pub(in crate::eval) lanes: Vec<VecDeque<VarId>>,
    /// The current lane.
    pub(in crate::eval) at: usize,
    pub(in crate::eval) count: usize,
}

impl WaitQueue {
    pub(in crate::eval) fn new(order: &[u32]) -> Self {
        Self {
            lane_of: order.iter().enumerate().map(|(i, a)| (*a, i)).collect(),
            lanes: order.iter().map(|_| VecDeque::new()).collect(),
            ..Self::default()
        }
    }

    /// Adds a variable of an attribute.
    pub(in crate::eval) fn push(&mut self, var: VarId, attribute: u32) {
        self.count += 1;
        match self.lane_of.get(&attribute) {
            Some(&lane) => {
                self.lanes[lane].push_back(var);
                if lane < self.at {
                    self.at = 0;
                }
            }
            None => self.free.push_back(var),
        }
    }

    pub(in crate::eval) fn pop(&mut self) -> Option<VarId> {
        if let Some(var) = self.free.pop_front() {
            self.count -= 1;
            return Some(var);
        }
        while let Some(lane) = self.lanes.get_mut(self.at) {
            if let Some(var) = lane.pop_front() {
                self.count -= 1;
                return Some(var);
            }
            self.at += 1;
        }
        None
    }

    /// The memory of the queue in bytes.
    pub(in crate::eval) fn bytes(&self) -> usize {
        self.count * size_of::<VarId>()
    }

    pub(in crate::eval) fn reset(&mut self) {
        self.free.clear();
        self.lanes.iter_mut().for_each(VecDeque::clear);
        (self.at, self.count) = (0, 0);
    }
}

/// Variables that no unit waits for.
#[derive(Debug, Default)]
pub(in crate::eval) struct ZeroWaiters {
    /// The variables in the order in which they were added. Some have left since.
    pub(in crate::eval) entries: VecDeque<(VarId, u32)>,
    pub(in crate::eval) next: u32,
    /// The number of variables, including frozen ones that are not dropped yet.
    pub(in crate::eval) count: usize,
    /// The number of frozen variables among them.
    pub(in crate::eval) frozen: usize,
    /// The variables that have got waiters since.
    pub(in crate::eval) woken: Vec<VarId>,
}

impl ZeroWaiters {
    /// The memory of the queue in bytes.
    pub(in crate::eval) fn bytes(&self) -> usize {
        self.entries.len() * size_of::<(VarId, u32)>()
    }
}
