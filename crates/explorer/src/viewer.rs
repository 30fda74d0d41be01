//! Users of the explorer, and their roles.

use std::fmt;
use std::str::FromStr;

use crate::error::ExplorerError;

/// The rights of a user.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// To see nodes with their facts, catalogs and reports.
    Read,
    /// To see the code as well, and to compile it for explanations.
    Plan,
    /// To have agents run, too.
    Run,
    /// To see nodes, and to sign and reject requests for certificates.
    Sign,
    /// All of it; also to pin and deactivate nodes, to revoke certificates, to see the audit log.
    Admin,
}

const ROLES: [(&str, Role); 5] = [
    ("read", Role::Read),
    ("plan", Role::Plan),
    ("run", Role::Run),
    ("sign", Role::Sign),
    ("admin", Role::Admin),
];

impl Role {
    /// The name in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Plan => "plan",
            Self::Run => "run",
            Self::Sign => "sign",
            Self::Admin => "admin",
        }
    }

    /// Whether a user with this role has the rights of another role.
    pub fn includes(self, other: Self) -> bool {
        match other {
            Self::Read => true,
            Self::Plan => matches!(self, Self::Plan | Self::Run | Self::Admin),
            Self::Run => matches!(self, Self::Run | Self::Admin),
            Self::Sign => matches!(self, Self::Sign | Self::Admin),
            Self::Admin => self == Self::Admin,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = ROLES.iter().find(|(name, _)| *name == text);
        found.map(|(_, role)| *role).ok_or_else(|| {
            let names: Vec<&str> = ROLES.iter().map(|(name, _)| *name).collect();
            format!("the role `{text}` is not one of {}", names.join(", "))
        })
    }
}

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
    fn roles_include_the_rights_of_others() {
        let included = |role: Role| {
            let names = ROLES.iter().filter(|(_, other)| role.includes(*other));
            names.map(|(name, _)| *name).collect::<Vec<_>>().join(" ")
        };
        let table: Vec<(&str, String)> =
            ROLES.iter().map(|(name, role)| (*name, included(*role))).collect();
        let expected = [
            ("read", "read"),
            ("plan", "read plan"),
            ("run", "read plan run"),
            ("sign", "read sign"),
            ("admin", "read plan run sign admin"),
        ];
        assert_eq!(table, expected.map(|(name, text)| (name, text.to_owned())));
        for (name, role) in ROLES {
            assert_eq!((name.parse(), role.to_string().as_str()), (Ok(role), name));
        }
    }

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
