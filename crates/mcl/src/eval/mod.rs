//! The function engine: a graph of functions whose values are updated while the world changes.
//!
//! A program becomes a graph of *nodes*. Each has a value, an error, or nothing yet.
//! [`Engine::run`] is one *wave*: it handles all events since the last wave and calls every
//! function whose arguments changed, once, in the order of the graph. So functions never see
//! half-updated arguments, a burst of events costs one wave, and the wave ends at functions whose
//! result did not change.
//!
//! Parts of the graph come and go: the branch of an `if`, the body of a function value, or of a
//! loop for each element. A *dynamic* node ([`Graph::branch`], [`Graph::call_value`],
//! [`Graph::each`], …) holds *slots*, one for each present part, built by a [`Body`]. When its
//! inputs change, slots are removed and built within the same wave, before nodes that depend on
//! them run.
//!
//! ```
//! use ordain_mcl::eval::Engine;
//! use ordain_mcl::functions::{find, environment::Memory};
//! use ordain_mcl::value::Value;
//!
//! let mut engine = Engine::new();
//! let mut graph = engine.build();
//! let (a, b) = (graph.constant("x".into()), graph.constant("y".into()));
//! let joined = graph.call(find("concat").unwrap(), None, vec![a, b]);
//! engine.run(&Memory::default()).unwrap();
//! assert_eq!(engine.value(joined), Some(&Value::from("xy")));
//! ```
//!
//! *Errors.* A catchable error takes the place of a value and propagates to the next
//! [`Graph::except`]. If it reaches a node without dependents, the run fails with it. Any other
//! error fails the run at once. After a failed run the engine cannot be used any more.
//!
//! *Events.* A streaming function registers its watches with each call. After each run the caller
//! checks [`Engine::watches_changed`], gets [`Engine::watches`], waits, and reports events with
//! [`Engine::notify`] or [`Engine::wake`].

mod dynamic;
mod engine;
mod graph;
mod node;
mod wave;

#[cfg(test)]
mod tests;

pub use node::{Body, BodyNodes, Engine, Failure, Graph, NodeId, State};
