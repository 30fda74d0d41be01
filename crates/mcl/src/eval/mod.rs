//! The function engine: a graph of functions whose values are kept true while the world changes.
//!
//! A program becomes a graph of *nodes*; each has a value, an error, or nothing yet. [`Engine::run`]
//! is one *wave*: it takes all that happened since the last one, and calls every function whose
//! arguments changed, once, in the order of the graph. So no half-updated combination is ever seen,
//! a burst of events costs one wave, and a function whose result did not change stops the wave there.
//!
//! Parts of the graph come and go: the branch of an `if`, the body of a function value, of a loop for
//! each element. A *dynamic* node ([`Graph::branch`], [`Graph::call_value`], [`Graph::each`], …) holds
//! *slots*, one for each part that is there now, built by a [`Body`]. When what it looks at changes,
//! slots are removed and built within the same wave, before anything that depends on them runs.
//!
//! ```
//! use ordain_mcl::eval::Engine;
//! use ordain_mcl::functions::{find, surroundings::Memory};
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
//! *Errors.* A catchable error takes the place of a value and flows on to where an
//! [`Graph::except`] stands; if it reaches a node that nothing depends on, the run fails with it. Any
//! other error fails the run at once. After a failed run the engine is of no more use.
//!
//! *Events.* A function that streams says with each call what it waits for. Whoever drives the engine
//! asks for [`Engine::watches`] after a run in which [`Engine::watches_changed`], waits, and reports
//! with [`Engine::notify`] or [`Engine::wake`].

mod dynamic;
mod engine;
mod graph;
mod node;
mod wave;

#[cfg(test)]
mod tests;

pub use node::{Body, Built, Engine, Failure, Graph, NodeId, State};
