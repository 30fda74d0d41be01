//! Contexts of SELinux: `seluser`, `selrole`, `seltype` and `selrange` of a file.
//!
//! A context is the extended attribute `security.selinux`, as `user:role:type:range`. Where SELinux is
//! off, or a file system has no contexts, the attributes are ignored. Upstream:
//! `lib/puppet/util/selinux.rb`.

use crate::kind::KindError;

/// The properties, in the order of the parts of a context.
pub(super) const PROPERTIES: [&str; 4] = ["seluser", "selrole", "seltype", "selrange"];

/// The parts of a context; unknown and unmanaged parts are `None`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Parts(pub(super) [Option<String>; 4]);

impl Parts {
    /// The parts of a context; all `None` if it is not set.
    pub(super) fn parse(context: &str) -> Result<Self, KindError> {
        if context.is_empty() || context == "unlabeled" {
            return Ok(Self::default());
        }
        let parts: Vec<&str> = context.splitn(4, ':').collect();
        let is_word = |part: &&&str| !part.is_empty() && !part.contains(char::is_whitespace);
        let range = parts.get(3);
        let of_range = |c: char| c.is_ascii_alphanumeric() || " \t:,._-".contains(c);
        let is_range = range.is_none_or(|range| !range.is_empty() && range.chars().all(of_range));
        if parts.iter().take(3).filter(is_word).count() < 3 || !is_range {
            return Err(KindError::new(format!("Invalid context to parse: {context}")));
        }
        let part = |at: usize| parts.get(at).map(|part| (*part).to_owned());
        Ok(Self([part(0), part(1), part(2), part(3)]))
    }

    /// These parts, completed with those of another.
    pub(super) fn or(&self, other: &Self) -> Self {
        let part = |at: usize| self.0[at].clone().or_else(|| other.0[at].clone());
        Self([part(0), part(1), part(2), part(3)])
    }

    /// The whole context, if all parts that every context has are known.
    pub(super) fn whole(&self) -> Option<String> {
        let [Some(user), Some(role), Some(kind), range] = &self.0 else { return None };
        let range = range.as_ref().map(|range| format!(":{range}")).unwrap_or_default();
        Some(format!("{user}:{role}:{kind}{range}"))
    }

    /// Whether nothing is known.
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }
}

/// The declared parts of a context.
#[derive(Clone, Default, Debug)]
pub(super) struct DeclaredContext {
    /// The parts that are.
    pub(super) parts: Parts,
    /// Whether undeclared parts stay as they are instead of taking the policy's defaults.
    pub(super) ignore_defaults: bool,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn contexts_have_three_or_four_parts() {
        let parts = Parts::parse("system_u:object_r:etc_t:s0:c1,c2").unwrap();
        assert_eq!(parts.0[3].as_deref(), Some("s0:c1,c2"));
        assert_eq!(parts.whole().unwrap(), "system_u:object_r:etc_t:s0:c1,c2");
        let parts = Parts::parse("system_u:object_r:etc_t").unwrap();
        assert_eq!(parts.whole().unwrap(), "system_u:object_r:etc_t");
        assert!(Parts::parse("unlabeled").unwrap().is_empty());
        for wrong in ["a:b", "a::c", "a:b:c:", "a b:c:d", "a:b:c:s0=x"] {
            assert!(Parts::parse(wrong).is_err(), "{wrong}");
        }
    }
}
