//! Runs git.

use std::path::Path;

use ordain_functions::shell::escape;

use super::model::{Proxy, Repository};
use crate::kind::KindError;
use crate::kinds::shared::command::CommandContext;
use crate::system::host::Host;
use crate::system::path::own_ids;
use crate::system::runner::Outcome;

impl Repository {
    fn surroundings(&self, host: &Host, directory: &Path) -> CommandContext {
        let mut environment = vec![
            // Nobody is there to answer.
            ("GIT_TERMINAL_PROMPT".to_string(), "0".to_string()),
        ];
        let own = own_ids().0.to_string();
        if let Some(home) = home_of(host, self.user.as_deref().unwrap_or(&own)) {
            environment.push(("HOME".into(), home));
        }
        if let Some(identity) = &self.identity {
            let options = [
                "IgnoreUnknown IdentityAgent",
                "IdentitiesOnly yes",
                "IdentityAgent none",
                "PasswordAuthentication no",
                "KbdInteractiveAuthentication no",
            ];
            let options: Vec<String> =
                options.iter().map(|option| format!("-o \"{option}\"")).collect();
            let command = format!("ssh -i {} {}", escape(identity), options.join(" "));
            environment.push(("GIT_SSH_COMMAND".into(), command));
        }
        CommandContext {
            cwd: Some(directory.to_path_buf()),
            user: self.user.clone(),
            umask: self.umask,
            environment,
            ..CommandContext::default()
        }
    }

    fn words<'w>(&self, words: &[&'w str]) -> Vec<&'w str> {
        let mut all = vec!["git"];
        if self.trust_server {
            all.extend(["-c", "http.sslVerify=false"]);
        }
        all.extend(words);
        all
    }

    /// Runs git in a directory; any status is fine.
    pub(super) fn ask_in(
        &self,
        host: &Host,
        directory: &Path,
        words: &[&str],
    ) -> Result<Outcome, KindError> {
        self.surroundings(host, directory).ask(host, &self.words(words))
    }

    /// Runs git in the repository; any status is fine.
    pub(super) fn ask(&self, host: &Host, words: &[&str]) -> Result<Outcome, KindError> {
        self.ask_in(host, &self.path, words)
    }

    /// The output of git in the repository, which has to succeed.
    pub(super) fn git(&self, host: &Host, words: &[&str]) -> Result<String, KindError> {
        let surroundings = self.surroundings(host, &self.path);
        let outcome = surroundings.run(host, &self.words(words))?;
        Ok(outcome.stdout_text())
    }

    /// Runs git, which asks remote repositories, in a directory.
    pub(super) fn remote_git(
        &self,
        host: &Host,
        directory: &Path,
        words: &[&str],
    ) -> Result<String, KindError> {
        let settings: Vec<String> = match &self.proxy {
            None => Vec::new(),
            Some(Proxy::All(url)) => vec![format!("http.proxy={url}")],
            Some(Proxy::ByRemote(all)) => {
                all.iter().map(|(name, url)| format!("remote.{name}.proxy={url}")).collect()
            }
        };
        let settings = settings.iter().flat_map(|setting| ["-c", setting.as_str()]);
        let all: Vec<&str> = settings.chain(words.iter().copied()).collect();
        let surroundings = self.surroundings(host, directory);
        Ok(surroundings.run(host, &self.words(&all))?.stdout_text())
    }
}

/// The home of a user.
fn home_of(host: &Host, user: &str) -> Option<String> {
    let text = crate::system::file_cache::read_text(&host.path(Path::new("/etc/passwd")));
    let text = text.ok().flatten()?;
    let mut lines = text.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let line = lines.find(|fields| fields.first() == Some(&user) || fields.get(2) == Some(&user));
    line.and_then(|fields| fields.get(5).map(|home| (*home).to_string()))
}
