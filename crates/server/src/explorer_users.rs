//! The users of the web explorer: who a client is, and which nodes it may see.

use hyper::HeaderMap;
use ordain_explorer::Viewer;

use crate::config::{Config, ExplorerRole, ExplorerUser};
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
    let is_own = |user: &&ExplorerUser| names.contains(&user.name.as_str());
    let own: Vec<&ExplorerUser> = users.iter().filter(is_own).collect();
    if own.is_empty() {
        return None;
    }
    let environments = |users: &[&ExplorerUser]| -> Option<Vec<String>> {
        users.iter().map(|user| user.environment.clone()).collect()
    };
    let plans: Vec<&ExplorerUser> =
        own.iter().copied().filter(|user| user.role == ExplorerRole::Plan).collect();
    Some(Viewer {
        name: names.first().copied().unwrap_or_default().to_string(),
        environments: environments(&own),
        // Nobody without the role has an empty list, which allows nothing.
        plan_environments: environments(&plans),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_add_up_and_nobody_has_them_by_default() {
        let users = ["a=read", "a=plan@dev", "b=read@dev", "b=read@test", "c=plan"];
        let users: Vec<ExplorerUser> = users.iter().map(|text| text.parse().unwrap()).collect();
        let list = |names: &[&str]| Some(names.iter().map(|name| (*name).to_string()).collect());
        let of =
            |name| rights(&users, &[name]).map(|one| (one.environments, one.plan_environments));
        assert_eq!(of("a"), Some((None, list(&["dev"]))));
        assert_eq!(of("b"), Some((list(&["dev", "test"]), list(&[]))));
        assert_eq!(of("c"), Some((None, None)));
        assert_eq!(of("d"), None);
        for text in ["a", "a=", "a=write", "=read", "a=read@"] {
            assert!(text.parse::<ExplorerUser>().is_err(), "{text}");
        }
    }
}
