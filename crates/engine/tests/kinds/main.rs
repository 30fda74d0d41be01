//! The kinds of resources, on machines whose commands are recorded.

#![allow(clippy::unwrap_used)]

mod accounts;
mod agent_tools;
mod augeas;
mod bundle;
mod managers;
mod mgmt;
mod mgmt_dhcp;
mod mgmt_pages;
mod mgmt_parts;
mod mgmt_serving;
mod modules;
mod package;
mod service;
mod small;
mod support;
mod systemd;
mod tables;
