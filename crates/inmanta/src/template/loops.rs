//! Renders loops.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::ast::{For, Target};
use super::fault::Res;
use super::runtime::Runtime;
use super::value::{Frame, Generator, LoopState, Next, Object, Recursion, Val};

impl Runtime<'_> {
    pub(super) fn for_loop(&mut self, node: &Rc<For>, frame: &Frame, out: &mut String) -> Res<()> {
        let items = self.value(&node.items, frame)?;
        self.loop_over(node, items, 0, frame, out)
    }

    /// Renders a recursive loop for other items.
    pub(super) fn recurse(&mut self, recursion: &Recursion, items: Val, depth: usize) -> Res<Val> {
        self.nested(|runtime| {
            let mut text = String::new();
            let Recursion { node, frame } = recursion;
            runtime.loop_over(node, items, depth, frame, &mut text)?;
            Ok(runtime.captured(text, node.escape, frame))
        })
    }

    /// Filters items by the condition of a loop.
    pub(super) fn tested(&mut self, node: &Rc<For>, items: Rc<Generator>, frame: &Frame) -> Val {
        let (node, frame) = (node.clone(), frame.clone());
        let mut inner: Option<Frame> = None;
        let next: Next = Box::new(move |runtime| {
            let inner = match &inner {
                Some(inner) => inner,
                None => {
                    let scope =
                        runtime.enter(&node.test_symbols, Some(&frame.scope), &frame.context)?;
                    inner.insert(frame.inner(scope))
                }
            };
            let Some(test) = &node.test else { return items.next(runtime) };
            while let Some(item) = items.next(runtime)? {
                runtime.assign(&node.target, item.clone(), inner)?;
                let found = runtime.value(test, inner)?;
                if runtime.truth(&found)? {
                    return Ok(Some(match &node.target {
                        Target::Tuple(targets) => {
                            Val::tuple(runtime.unpacked(&item, targets.len())?)
                        }
                        _ => item,
                    }));
                }
            }
            Ok(None)
        });
        Generator::lazy("t_1", next)
    }

    pub(super) fn loop_over(
        &mut self,
        node: &Rc<For>,
        source: Val,
        depth0: usize,
        frame: &Frame,
        out: &mut String,
    ) -> Res<()> {
        let mut source = source;
        let mut items = self.iterate(&source)?;
        if node.test.is_some() {
            source = self.tested(node, items, frame);
            items = self.iterate(&source)?;
        }
        let state = node.is_extended.then(|| {
            let recurse =
                node.is_recursive.then(|| Recursion { node: node.clone(), frame: frame.clone() });
            Rc::new(Object::Loop(LoopState {
                source,
                items: items.clone(),
                index0: Cell::new(-1),
                depth0,
                length: Cell::default(),
                after: RefCell::default(),
                current: RefCell::default(),
                before: RefCell::default(),
                last_changed: RefCell::default(),
                recurse,
            }))
        });
        let mut is_empty = true;
        loop {
            let item = match state.as_deref() {
                Some(Object::Loop(state)) => self.loop_next(state)?,
                _ => items.next(self)?,
            };
            let Some(item) = item else { break };
            is_empty = false;
            let scope = self.enter(&node.symbols, Some(&frame.scope), &frame.context)?;
            let inner = frame.inner(scope);
            if let Some(state) = &state {
                self.put("loop", Val::Object(state.clone()), &inner.scope);
            }
            self.assign(&node.target, item, &inner)?;
            self.nodes(&node.body, &inner, out)?;
        }
        if is_empty && !node.otherwise.is_empty() {
            let scope = self.enter(&node.else_symbols, Some(&frame.scope), &frame.context)?;
            return self.nodes(&node.otherwise, &frame.inner(scope), out);
        }
        Ok(())
    }

    /// Advances a loop.
    pub(super) fn loop_next(&mut self, state: &LoopState) -> Res<Option<Val>> {
        let after = state.after.borrow_mut().take();
        let item = match after {
            Some(item) => Some(item),
            None => state.items.next(self)?,
        };
        if let Some(item) = &item {
            state.index0.set(state.index0.get() + 1);
            let before = state.current.replace(Some(item.clone()));
            state.before.replace(before);
        }
        Ok(item)
    }
}
