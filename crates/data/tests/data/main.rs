//! Reading and writing JSON and YAML.

#![allow(clippy::unwrap_used)]

mod json;
mod psych;
mod yaml;
mod yaml_differential;
