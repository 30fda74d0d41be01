//! The roles of users.

use std::fmt;
use std::str::FromStr;

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
}
