//! Creating, changing and removing accounts.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::{Expiry, UserInstance};
use crate::kind::differences::changes;
use crate::kind::tools::{command, path_of, run_redacted};
use crate::kind::{Action, Change, KindError, all_of};
use crate::kinds::shared::account_files::{shadow_tool, with};
use crate::system::host::Host;
use crate::system::runner::Invocation;

impl UserInstance {
    pub(super) fn act(&self, host: &Host, made: &[Change]) -> Result<(), KindError> {
        match made.iter().find(|c| c.property == "ensure").map(|c| c.action) {
            Some(Action::Create) => self.create(host),
            Some(_) => self.delete(host),
            None => self.modify(host, made),
        }
    }

    fn create(&self, host: &Host) -> Result<(), KindError> {
        self.check_shell(host)?;
        let accounts = self.files.read(host)?;
        let mut options = Vec::new();
        let wanted = &self.wanted;
        if wanted.gid.is_none() && accounts.group(&self.name).is_some() {
            // The tool would refuse to create an existing group.
            options.push(("-g", self.name.clone()));
        }
        let mut option = |flag, value: Option<String>| {
            if let Some(value) = value.filter(|v| !v.is_empty()) {
                options.push((flag, value));
            }
        };
        option("-c", wanted.comment.clone());
        option("-e", wanted.expiry.as_ref().map(expiry_argument));
        option("-g", wanted.gid.clone());
        option("-G", self.wanted_groups(&[]).map(|g| g.join(",")));
        option("-d", wanted.home.clone());
        option("-s", wanted.shell.clone());
        option("-u", wanted.uid.map(|u| u.to_string()));
        let mut useradd = shadow_tool(host, "useradd", "-P")?;
        for (flag, value) in &options {
            useradd = with(useradd, [*flag, value]);
        }
        if self.allow_duplicate && wanted.uid.is_some() {
            useradd = with(useradd, ["-o"]);
        }
        useradd = with(useradd, [if self.manage_home { "-m" } else { "-M" }]);
        if self.system {
            useradd = with(useradd, ["-r"]);
        }
        let failed = format!("Could not create user {}", self.name);
        self.tool(host, with(useradd, [self.name.as_str()]), &failed)?;
        let ages = [wanted.min, wanted.max, wanted.warn].iter().any(Option::is_some);
        all_of([
            if ages { self.set_ages(host, |_| true) } else { Ok(()) },
            if wanted.password.is_some() { self.set_password(host) } else { Ok(()) },
        ])
    }

    fn delete(&self, host: &Host) -> Result<(), KindError> {
        let mut userdel = shadow_tool(host, "userdel", "-P")?;
        if self.manage_home {
            userdel = with(userdel, ["-r"]);
        }
        let failed = format!("Could not delete user {}", self.name);
        self.tool(host, with(userdel, [self.name.as_str()]), &failed)
    }

    fn modify(&self, host: &Host, made: &[Change]) -> Result<(), KindError> {
        let is_age =
            |p: &str| matches!(p, "password_min_age" | "password_max_age" | "password_warn_days");
        let account = made.iter().any(|c| c.property != "password" && !is_age(&c.property));
        let ages = made.iter().any(|c| is_age(&c.property));
        all_of([
            if account { self.modify_account(host, made) } else { Ok(()) },
            if ages { self.set_ages(host, |name| changes(made, name)) } else { Ok(()) },
            if changes(made, "password") { self.set_password(host) } else { Ok(()) },
        ])
    }

    /// All in one call, so that everything changes or nothing.
    fn modify_account(&self, host: &Host, made: &[Change]) -> Result<(), KindError> {
        if changes(made, "shell") {
            self.check_shell(host)?;
        }
        let accounts = self.files.read(host)?;
        let wanted = &self.wanted;
        let mut options = Vec::new();
        let mut option = |property, flag, value: Option<String>| {
            if changes(made, property)
                && let Some(value) = value
            {
                options.push((flag, value));
            }
        };
        let gid = match &wanted.gid {
            Some(gid) if changes(made, "gid") => {
                let missing = || KindError::new(format!("Could not find group(s) {gid}"));
                Some(accounts.gid_of(gid).ok_or_else(missing)?.to_string())
            }
            _ => None,
        };
        let groups = self.wanted_groups(accounts.groups_of(&self.name)).map(|g| g.join(","));
        option("home", "-d", wanted.home.clone());
        option("uid", "-u", wanted.uid.map(|u| u.to_string()));
        option("gid", "-g", gid);
        option("comment", "-c", wanted.comment.clone());
        option("shell", "-s", wanted.shell.clone());
        option("groups", "-G", groups);
        option("expiry", "-e", wanted.expiry.as_ref().map(expiry_argument));
        let mut usermod = shadow_tool(host, "usermod", "-P")?;
        for (flag, value) in &options {
            usermod = with(usermod, [*flag, value]);
        }
        if self.allow_duplicate && changes(made, "uid") {
            usermod = with(usermod, ["-o"]);
        }
        let names: Vec<&str> = made
            .iter()
            .map(|c| c.property.as_str())
            .filter(|p| !p.starts_with("password"))
            .collect();
        let failed = format!("Could not set {} on user[{}]", names.join(", "), self.name);
        self.tool(host, with(usermod, [self.name.as_str()]), &failed)
    }

    fn set_ages(&self, host: &Host, wants: impl Fn(&str) -> bool) -> Result<(), KindError> {
        let wanted = &self.wanted;
        let ages = [
            ("password_min_age", "-m", wanted.min),
            ("password_max_age", "-M", wanted.max),
            ("password_warn_days", "-W", wanted.warn),
        ];
        let mut chage = shadow_tool(host, "chage", "-R")?;
        for (name, flag, days) in ages {
            if let Some(days) = days.filter(|_| wants(name)) {
                chage = with(chage, [flag, &days.to_string()]);
            }
        }
        let failed = format!("Could not set the password ages on user[{}]", self.name);
        self.tool(host, with(chage, [self.name.as_str()]), &failed)
    }

    fn set_password(&self, host: &Host) -> Result<(), KindError> {
        let Some(password) = &self.wanted.password else { return Ok(()) };
        let mut chpasswd = with(shadow_tool(host, "chpasswd", "-R")?, ["-e"]);
        chpasswd.stdin = format!("{}:{password}\n", self.name).into_bytes();
        let done = run_redacted(host, &chpasswd, false).map_err(|e| {
            // Should the tool quote its input, the hash must not go into a log.
            let message = e.0.replace(password.as_str(), "[redacted]");
            let message = if password.len() < 4 { "chpasswd failed".to_string() } else { message };
            KindError::new(format!("Could not set password on user[{}]: {message}", self.name))
        });
        done.map(drop)
    }

    fn check_shell(&self, host: &Host) -> Result<(), KindError> {
        let Some(shell) = &self.wanted.shell else { return Ok(()) };
        // The target of a link is trusted, because links must not be followed out of the root.
        let Ok(meta) = fs::symlink_metadata(host.path(Path::new(shell))) else {
            return Err(KindError::new(format!("Shell {shell} must exist")));
        };
        if !meta.file_type().is_symlink()
            && (!meta.is_file() || meta.permissions().mode() & 0o111 == 0)
        {
            return Err(KindError::new(format!("Shell {shell} must be executable")));
        }
        Ok(())
    }

    fn tool(&self, host: &Host, invocation: Invocation, failed: &str) -> Result<(), KindError> {
        // Other secret attributes are arguments, so the command line must not be shown.
        let secret = self.secrets.iter().any(|s| s != "password");
        let done = run_redacted(host, &invocation, secret);
        self.files.forget();
        done.map_err(|e| KindError::new(format!("{failed}: {e}")))?;
        // The name service cache daemon, if it runs, would return old results for minutes.
        if crate::kind::tools::is_live(host) && Path::new("/run/nscd/socket").exists() {
            for table in ["passwd", "group"] {
                let flush = command([path_of("nscd"), "-i".to_string(), table.to_string()]);
                drop(host.run(&flush));
            }
        }
        Ok(())
    }
}

fn expiry_argument(expiry: &Expiry) -> String {
    match expiry {
        Expiry::Never => String::new(),
        Expiry::On(date) => date.clone(),
    }
}
