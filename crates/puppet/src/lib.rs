//! The Puppet language: from manifests, templates and Hiera data to a resource graph.
//!
//! ```
//! use std::sync::Arc;
//!
//! use ordain_graph::puppet_catalog::{self, Envelope};
//! use ordain_puppet::eval::Settings;
//! use ordain_puppet::load::{Environment, Options, Site};
//! use ordain_puppet::session::{Node, compile_node};
//! use ordain_source::MemoryWorld;
//!
//! let site = Site::Code("file { '/etc/motd': content => \"on ${trusted['certname']}\" }".into());
//! let options = Options::new(Arc::new(MemoryWorld::default()), site);
//! let (env, _warnings) = Environment::open(options).expect("the manifest parses");
//! let node = Node { name: "web01".into(), ..Node::default() };
//! let compiled = compile_node(&env, Settings::default(), &node);
//! let graph = compiled.graph.expect("no error");
//!
//! let mut catalog = Vec::new();
//! puppet_catalog::write(&graph, &env.sources, &Envelope::default(), &mut catalog)?;
//! assert!(String::from_utf8_lossy(&catalog).contains("on web01"));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! The modules stand on floors, and each knows only those below it:
//!
//! | floor | |
//! | --- | --- |
//! | [`session`], [`deferred`], [`lower`], [`provenance`] | the interface for callers; catalog to graph |
//! | [`compile`] | the order of a compile: classes, defines, collectors, overrides, relationships |
//! | [`eval`] | the evaluation of expressions, one file per construct |
//! | [`functions`] | the built-in functions, one file per family |
//! | [`hiera`], [`plugins`] | lookups; the conversation with the `ruby` process |
//! | [`state`] | the state of one compile, in parts with an owner each |
//! | [`catalog`] | resources, parameters, tags |
//! | [`load`] | environments: files, modules, definitions by name |
//! | [`validation`] | the rules of a single program |
//! | [`types`], [`value`], [`error`], [`schema`] | values and the type system, in the crate `ordain-puppet-types` |
//! | [`syntax`] | text to tree, in the crate `ordain-puppet-syntax` |
//!
//! The floors below the evaluator call it through the trait [`state::evaluate::Evaluate`]. The crate must
//! not know the engine, `std::fs`, the environment or the time: they come through the `World`.

pub mod catalog;
pub mod codes;
pub mod compile;
pub mod deferred;
mod diagnose;
pub mod eval;
pub mod functions;
pub mod hiera;
pub mod legacy_facts;
pub mod load;
pub mod lower;
pub mod plugins;
pub mod provenance;
pub mod session;
pub mod state;
pub mod validation;

pub use ordain_puppet_syntax as syntax;
pub use ordain_puppet_types::{error, schema, types, value};
