//! Converts branch names to environment names.

use regex::Regex;

/// The handling of a branch whose name is not a valid environment name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InvalidBranches {
    /// Replace invalid characters by underscores and warn.
    CorrectAndWarn,
    /// Replace invalid characters by underscores.
    Correct,
    /// Skip the branch.
    Leave,
}

/// The part of branch names that environment names omit.
#[derive(Clone, Debug)]
pub(crate) enum Strip {
    /// This prefix.
    Start(String),
    /// Every match.
    Matches(Regex),
}

/// The environment name of a branch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Name {
    /// The name before prefix and correction, as `.r10k-deploy.json` contains it.
    pub(crate) plain: String,
    /// The name of the directory.
    pub(crate) directory: String,
    /// Whether characters were replaced.
    pub(crate) is_corrected: bool,
}

/// How branch names become environment names.
#[derive(Clone, Debug)]
pub(crate) struct Naming {
    pub(crate) prefix: Option<String>,
    pub(crate) strip: Option<Strip>,
    pub(crate) invalid: InvalidBranches,
}

/// Replaces characters that environment names may not have.
pub(crate) fn corrected(name: &str) -> String {
    let correct = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    name.chars().map(correct).collect()
}

impl Naming {
    /// The name for a branch; `None` if the branch is skipped.
    pub(crate) fn name(&self, branch: &str) -> Option<Name> {
        let plain = match &self.strip {
            None => branch.to_owned(),
            Some(Strip::Start(start)) => branch.strip_prefix(start).unwrap_or(branch).to_owned(),
            Some(Strip::Matches(regex)) => regex.replace_all(branch, "").into_owned(),
        };
        let valid = corrected(&plain);
        let is_corrected = valid != plain;
        if is_corrected && self.invalid == InvalidBranches::Leave {
            return None;
        }
        let prefix = self.prefix.as_ref().map(|prefix| format!("{prefix}_")).unwrap_or_default();
        Some(Name { plain, directory: format!("{prefix}{valid}"), is_corrected })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naming(invalid: InvalidBranches) -> Naming {
        Naming { prefix: None, strip: None, invalid }
    }

    #[test]
    fn invalid_characters_are_replaced_or_the_branch_is_left_out() {
        let name = naming(InvalidBranches::CorrectAndWarn).name("feature/a-ü").expect("a name");
        assert_eq!((name.directory.as_str(), name.is_corrected), ("feature_a__", true));
        assert_eq!(naming(InvalidBranches::Leave).name("feature/a"), None);
    }

    #[test]
    fn prefixes_are_added_and_parts_removed() {
        let prefix = Some("site".to_owned());
        let strip = Some(Strip::Start("env/".into()));
        let naming = Naming { prefix, strip, ..naming(InvalidBranches::Correct) };
        assert_eq!(naming.name("env/a.b").expect("a name").directory, "site_a_b");
        let strip = Regex::new("_x$").ok().map(Strip::Matches);
        let naming = Naming { strip, ..naming };
        assert_eq!(naming.name("a_x").expect("a name").plain, "a");
    }
}
