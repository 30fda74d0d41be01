//! Users of the explorer, with the environments in which they have roles.

use crate::error::ExplorerError;
use crate::role::Role;

/// A role in one environment, or in all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grant {
    /// The role.
    pub role: Role,
    /// The environment; `None` for all.
    pub environment: Option<String>,
}

/// A user with roles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Viewer {
    /// The name.
    pub name: String,
    /// The roles. They add up.
    pub grants: Vec<Grant>,
}

impl Viewer {
    /// A user who may see and do everything.
    pub fn unrestricted(name: &str) -> Self {
        let grants = vec![Grant { role: Role::Admin, environment: None }];
        Self { name: name.to_owned(), grants }
    }

    fn grants_of(&self, role: Role) -> impl Iterator<Item = &Grant> {
        self.grants.iter().filter(move |grant| grant.role.includes(role))
    }

    /// The environments in which this user has a role; `None` for all.
    pub fn environments(&self, role: Role) -> Option<Vec<&str>> {
        self.grants_of(role).map(|grant| grant.environment.as_deref()).collect()
    }

    /// Whether this user has a role for nodes of an environment. Without one, the role has to count
    /// in all environments.
    pub fn may(&self, role: Role, environment: Option<&str>) -> bool {
        self.grants_of(role)
            .any(|grant| grant.environment.is_none() || grant.environment.as_deref() == environment)
    }

    /// Refuses a user who has not a role for nodes of an environment, or in all environments.
    ///
    /// # Errors
    /// [`ExplorerError::Forbidden`].
    pub fn require(&self, role: Role, environment: Option<&str>) -> Result<(), ExplorerError> {
        if self.may(role, environment) {
            return Ok(());
        }
        let environment = environment.map(str::to_owned);
        Err(ExplorerError::Forbidden { user: self.name.clone(), role, environment })
    }

    /// This user with those roles only that include another one.
    #[must_use]
    pub fn limited_to(&self, role: Role) -> Self {
        Self { name: self.name.clone(), grants: self.grants_of(role).cloned().collect() }
    }

    /// Whether this user has a role in any environment.
    pub fn has(&self, role: Role) -> bool {
        self.grants_of(role).next().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_without_an_environment_needs_a_role_in_all() {
        let grant = |role, environment: Option<&str>| Grant {
            role,
            environment: environment.map(str::to_owned),
        };
        let grants = vec![grant(Role::Read, None), grant(Role::Run, Some("dev"))];
        let viewer = Viewer { name: "a".to_owned(), grants };
        assert!(viewer.may(Role::Read, None) && viewer.may(Role::Plan, Some("dev")));
        assert!(!viewer.may(Role::Run, None) && !viewer.may(Role::Run, Some("production")));
        assert_eq!(viewer.environments(Role::Read), None);
        assert_eq!(viewer.environments(Role::Run), Some(vec!["dev"]));
        assert_eq!(viewer.environments(Role::Sign), Some(vec![]));
        assert!(viewer.has(Role::Run) && !viewer.has(Role::Admin));
    }
}
