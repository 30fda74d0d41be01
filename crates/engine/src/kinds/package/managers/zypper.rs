//! zypper of SUSE.

use std::cmp::Ordering;

use super::{At, Features, Found, Installed, Manager, Wish, arguments, rpm, share};
use crate::kind::{KindError, Share};
use crate::kinds::package::Ensure;

pub(super) struct Zypper;

/// Options of zypper itself and not of `install`.
const GLOBAL: &[&str] = &["--no-gpg-check", "--no-gpg-checks", "--gpg-auto-import-keys"];

impl Manager for Zypper {
    fn name(&self) -> &'static str {
        "zypper"
    }

    fn tools(&self) -> &'static [&'static str] {
        &["zypper"]
    }

    fn features(&self) -> Features {
        Features { versions: true, ..Features::default() }
    }

    fn database(&self) -> &'static [&'static str] {
        rpm::DATABASE
    }

    fn list(&self, at: &At<'_>) -> Result<Installed, KindError> {
        rpm::list(at)
    }

    fn find(&self, at: &At<'_>, all: &Installed, wish: &Wish) -> Result<Option<Found>, KindError> {
        rpm::find(at, all, wish)
    }

    fn fits(
        &self,
        _: &At<'_>,
        wish: &Wish,
        wanted: &str,
        found: &Found,
    ) -> Result<bool, KindError> {
        Ok(rpm::any_fits(wish, wanted, found))
    }

    fn latest(&self, at: &At<'_>, _: &Wish, found: &Found) -> Result<String, KindError> {
        let said = at.run(&["--non-interactive", "list-updates"])?.stdout_text();
        let update = rows(&said).find(|row| row.len() > 4 && row[0] == "v" && row[2] == found.name);
        let now = || found.versions.last().cloned().unwrap_or_default();
        Ok(update.map_or_else(now, |row| row[4].to_string()))
    }

    fn install(&self, at: &At<'_>, wish: &Wish, found: Option<&Found>) -> Result<(), KindError> {
        let (global, options): (Vec<&str>, Vec<&str>) =
            wish.install_options.iter().map(String::as_str).partition(|o| GLOBAL.contains(o));
        let mut own = vec!["--auto-agree-with-licenses", "--no-confirm"];
        let wanted = match (&wish.ensure, &wish.source) {
            (_, Some(source)) => source.clone(),
            (Ensure::Version(version), None) => {
                let version = rpm::best(version, known(at, wish)?);
                let now = found.and_then(|f| f.versions.last());
                if now.is_some_and(|now| rpm::compare(&version, now) == Ordering::Less) {
                    own.push("--oldpackage");
                }
                format!("{}-{version}", wish.name)
            }
            _ => wish.name.clone(),
        };
        if !wish.allow_virtual && wanted == wish.name {
            own.push("--name");
        }
        let before = arguments(&[&["--quiet"], &global, &["install"], &own]);
        at.run(&arguments(&[&before, &options, &[&wanted]])).map(drop)
    }

    fn install_several(&self, _: &At<'_>, wish: &Wish) -> Result<Option<Share>, KindError> {
        let is_plain = matches!(wish.ensure, Ensure::Present | Ensure::Latest)
            && wish.allow_virtual
            && wish.install_options.is_empty();
        let common = ["--quiet", "install", "--auto-agree-with-licenses", "--no-confirm"];
        Ok(is_plain.then(|| share(&common, &wish.name)))
    }

    fn remove_several(&self, _: &Wish, found: &Found) -> Option<Share> {
        Some(share(&["remove", "--no-confirm"], &found.name))
    }

    fn remove(&self, at: &At<'_>, _: &Wish, found: &Found) -> Result<(), KindError> {
        at.run(&["remove", "--no-confirm", &found.name]).map(drop)
    }
}

/// All versions that there are, where a range asks for them.
fn known(at: &At<'_>, wish: &Wish) -> Result<Vec<String>, KindError> {
    if !matches!(&wish.ensure, Ensure::Version(v) if v.contains(['<', '>'])) {
        return Ok(Vec::new());
    }
    let options = ["search", "--match-exact", "--type", "package", "-s", &wish.name];
    let said = at.run(&options)?.stdout_text();
    let named = rows(&said).filter(|row| row.len() > 3 && row[1] == wish.name);
    Ok(named.map(|row| row[3].to_string()).collect())
}

/// The rows of a table.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().map(|line| line.split('|').map(str::trim).collect())
}
