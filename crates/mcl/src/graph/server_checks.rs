//! Checks of the fields of kinds that serve something.

use std::net::{IpAddr, Ipv4Addr};

use ordain_functions::go;

use super::conditions::{named, unless};
use super::resource::Resource;

type Outcome = Result<(), String>;

/// An IPv4 address, also in its IPv6 form.
fn v4(ip: IpAddr) -> Option<Ipv4Addr> {
    match ip {
        IpAddr::V4(ip) => Some(ip),
        IpAddr::V6(ip) => ip.to_ipv4_mapped(),
    }
}

/// The host of an address to listen at, which has to be numeric.
fn host_of(address: &str) -> Result<Option<IpAddr>, String> {
    let (host, _) = go::net::split_host_port(address)
        .map_err(|error| format!("the Address is in an invalid format: {address}: {error}"))?;
    if host.is_empty() {
        return Ok(None);
    }
    let ip = host.parse().map_err(|_| format!("the Address is not a valid IP: {host}"))?;
    Ok(Some(ip))
}

/// `http:server` and `tftp:server`.
pub(super) fn server(resource: &Resource) -> Outcome {
    let (address, root) = (named(resource, "address"), resource.text("root"));
    unless(address.is_empty(), "empty address")?;
    host_of(&address)?;
    unless(!root.is_empty() && !root.starts_with('/'), "the Root must be absolute")?;
    unless(!root.is_empty() && !root.ends_with('/'), "the Root must be a dir")
}

/// `http:server:file` and `tftp:file`.
pub(super) fn file(resource: &Resource) -> Outcome {
    unless(named(resource, "filename").is_empty(), "empty filename")?;
    let path = resource.text("path");
    unless(!path.is_empty() && !path.starts_with('/'), "the Path must be absolute")?;
    let both = !path.is_empty() && !resource.text("data").is_empty();
    unless(both, "must not specify Path and Data")?;
    let is_long = resource.value("longpoll").and_then(|value| value.as_bool()) == Some(true);
    unless(is_long && path.ends_with('/'), "can't use Longpoll when Path is a directory")
}

/// `http:server:flag`.
pub(super) fn flag(resource: &Resource) -> Outcome {
    let path = named(resource, "path");
    unless(path.is_empty(), "empty filename")?;
    unless(!path.starts_with('/'), "the path must be absolute")
}

/// `http:server:proxy`.
pub(super) fn proxy(resource: &Resource) -> Outcome {
    flag(resource)?;
    let is_dir = |text: &str| text.starts_with('/') && text.ends_with('/');
    let (sub, head) = (resource.text("sub"), resource.text("head"));
    let text = "the Sub field must be either empty or an absolute dir prefix";
    unless(!sub.is_empty() && !is_dir(&sub), text)?;
    unless(!head.is_empty() && !head.ends_with('/'), "the Head must end with a slash")?;
    go::url::parse(&head).map_err(|error| error.to_string())?;
    let cache = resource.text("cache");
    let text = "the Cache field must be either empty or an absolute dir";
    unless(!cache.is_empty() && !is_dir(&cache), text)
}

/// `http:server:ui`.
pub(super) fn page(resource: &Resource) -> Outcome {
    let path = named(resource, "path");
    unless(path.is_empty(), "empty path")?;
    unless(!path.starts_with('/'), "the Path must be absolute")?;
    unless(!path.ends_with('/'), "the Path must end with a slash")
}

/// `http:server:ui:input`.
pub(super) fn input(resource: &Resource) -> Outcome {
    unless(named(resource, "id").is_empty(), "empty id")?;
    let both = !resource.text("value").is_empty() && !resource.text("store").is_empty();
    unless(both, "may only use either Value or Store")
}

/// The boot files of machines.
fn boot(resource: &Resource) -> Outcome {
    let text = resource.text("nbp");
    if text.is_empty() {
        return Ok(());
    }
    let url = go::url::parse(&text).map_err(|error| format!("invalid nbp URL: {error}"))?;
    unless(url.scheme.is_empty(), "missing nbp scheme")?;
    unless(url.scheme != "tftp", "the scheme must be `tftp` for DHCPv4")
}

/// `dhcp:server`.
pub(super) fn dhcp_server(resource: &Resource) -> Outcome {
    unless(resource.text("interface").is_empty(), "the Interface is empty")?;
    let address = named(resource, "address");
    unless(address.is_empty(), "the Address is empty")?;
    if let Some(ip) = host_of(&address)?
        && v4(ip).is_none()
    {
        return Err(format!("the Address is not a valid v4 address: {ip}"));
    }
    let id = resource.text("serverid");
    if !id.is_empty() {
        let ip = id.parse().map_err(|_| format!("{id} is an invalid or empty IP address"))?;
        v4(ip).ok_or_else(|| format!("{id} is not a valid IPv4 address"))?;
    }
    let lease = resource.text("leasetime");
    if !lease.is_empty() {
        go::duration::parse(&lease)
            .map_err(|error| format!("invalid duration: {lease}: {error}"))?;
    }
    for (field, what) in [("dns", "DNS server"), ("routers", "router")] {
        for text in resource.texts(field) {
            let ip = text.parse().ok().and_then(v4);
            ip.ok_or_else(|| format!("expected a {what} address, got: {text}"))?;
        }
    }
    boot(resource)
}

/// `dhcp:host`.
pub(super) fn dhcp_host(resource: &Resource) -> Outcome {
    let mac = resource.text("mac");
    let bytes =
        go::net::parse_mac(&mac).map_err(|error| format!("invalid mac address: {error}"))?;
    let canonical = go::net::mac(&bytes);
    if canonical != mac {
        return Err(format!("the mac address is not in the canonical format of: {canonical}"));
    }
    let (ip, _) = go::net::parse_cidr(&resource.text("ip"))
        .map_err(|error| format!("invalid IP/CIDR address: {error}"))?;
    unless(v4(ip).is_none(), "only IPv4 is currently supported")?;
    boot(resource)
}

/// `dhcp:range`.
pub(super) fn dhcp_range(resource: &Resource) -> Outcome {
    let (from, to) = (resource.text("from"), resource.text("to"));
    unless(from.is_empty() != to.is_empty(), "must specify both from and to or neither")?;
    if from.is_empty() {
        network(resource)?;
    } else {
        between(&from, &to, &resource.text("mask"))?;
    }
    for text in resource.texts("skip") {
        let is_ip = go::net::parse_prefix(&text).is_ok() || text.parse::<IpAddr>().is_ok();
        if !is_ip {
            return Err(format!("invalid ip: {text}"));
        }
    }
    boot(resource)
}

fn network(resource: &Resource) -> Outcome {
    let is_masked = !resource.text("mask").is_empty();
    unless(is_masked, "mask must not be set when using network")?;
    let network = named(resource, "network");
    unless(network.is_empty(), "empty network")?;
    go::net::parse_prefix(&network).map(drop).map_err(|error| error.to_string())
}

/// A first and a last address. The mask is part of one of them or separate.
fn between(from: &str, to: &str, mask: &str) -> Outcome {
    let mut has_length = false;
    for text in [from, to] {
        let prefix = go::net::parse_prefix(text);
        has_length |= prefix.is_ok();
        let ip = prefix.map(|(ip, _)| ip).ok().or_else(|| text.parse().ok());
        unless(!ip.is_some_and(|ip| ip.is_ipv4()), "only ipv4 is supported at this time")?;
    }
    unless(mask.is_empty() != has_length, "mask must be specified somehow")?;
    let Some(length) = mask.strip_prefix('/') else {
        let bits = match mask.parse::<IpAddr>() {
            _ if mask.is_empty() => return Ok(()),
            Ok(ip) if !ip.is_unspecified() => v4(ip).map(Ipv4Addr::to_bits),
            _ => return Err(format!("invalid mask: {mask}")),
        };
        let bits = bits.ok_or_else(|| format!("invalid ipv4 mask: {mask}"))?;
        let is_mask = bits.leading_ones() + bits.trailing_zeros() == 32;
        // The original shows it so.
        let shown = format!("invalid mask: {bits:08x}");
        return unless(!is_mask, &shown);
    };
    let suffix: i64 = length.parse().map_err(|_| format!("invalid cidr suffix: {mask}"))?;
    match suffix {
        0..=32 => Ok(()),
        33..=128 => Err(format!("invalid ipv4 cidr: {mask}")),
        _ => Err(format!("invalid cidr: {mask}")),
    }
}
