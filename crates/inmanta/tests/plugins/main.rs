//! Plugins: the built-in ones, templates, and those of modules.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod batches;
mod dataclasses;
mod format;
mod functions;
mod model;
mod model_cases;
mod python;
mod recorded;
mod session;
mod template;
mod template_cases;
