//! Reading and writing JSON and YAML.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod json;
mod psych;
mod yaml;
mod yaml_differential;
