//! The users of the web explorer: who a client is, and which nodes it may see.

use hyper::HeaderMap;
use ordain_explorer::{Grant, Viewer};

use crate::config::{Config, ExplorerUser};
use crate::identity::Identity;

/// The header in which a reverse proxy names the user.
const USER: &str = "x-forwarded-user";

/// The user that a client of the web explorer is; `None` if it may not use it. A certificate with
/// the name of a proxy stands for the user that the header names, and for nobody without it. The
/// header of any other client does not count.
pub(crate) fn viewer(
    config: &Config,
    identity: Option<&Identity>,
    headers: &HeaderMap,
) -> Option<Viewer> {
    let identity = identity?;
    let name = identity.name.as_str();
    if config.explorer_proxies.iter().any(|proxy| proxy == name) {
        let mut named = headers.get_all(USER).iter();
        let user = named.next()?.to_str().ok()?;
        // A second header may be that of the proxy's client.
        let is_only_one = named.next().is_none();
        return if is_only_one { rights(&config.explorer_users, &[user]) } else { None };
    }
    if identity.is_admin {
        return Some(Viewer::unrestricted(name));
    }
    rights(&config.explorer_users, &[name])
}

/// The rights of some names together, under the first one; `None` if none of them has any.
pub(crate) fn rights(users: &[ExplorerUser], names: &[&str]) -> Option<Viewer> {
    let own = users.iter().filter(|user| names.contains(&user.name.as_str()));
    let grant =
        |user: &ExplorerUser| Grant { role: user.role, environment: user.environment.clone() };
    let grants: Vec<Grant> = own.map(grant).collect();
    if grants.is_empty() {
        return None;
    }
    Some(Viewer { name: names.first().copied().unwrap_or_default().to_string(), grants })
}

#[cfg(test)]
mod tests {
    use ordain_explorer::Role;

    use super::*;

    #[test]
    fn rights_add_up_and_nobody_has_them_by_default() {
        let users = ["a=read", "a=plan@dev", "b=read@dev", "b=read@test", "c=plan"];
        let users: Vec<ExplorerUser> = users.iter().map(|text| text.parse().unwrap()).collect();
        let of = |name| {
            let viewer = rights(&users, &[name])?;
            let list = |role| viewer.environments(role).map(|names| names.join(" "));
            Some((list(Role::Read), list(Role::Plan)))
        };
        let list = |text: &str| Some(text.to_string());
        assert_eq!(of("a"), Some((None, list("dev"))));
        assert_eq!(of("b"), Some((list("dev test"), list(""))));
        assert_eq!(of("c"), Some((None, None)));
        assert_eq!(of("d"), None);
        for text in ["a", "a=", "a=write", "=read", "a=read@", "a=sign@dev"] {
            assert!(text.parse::<ExplorerUser>().is_err(), "{text}");
        }
    }
}
