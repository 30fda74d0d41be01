//! Names of code in the explorer: an environment, or one of its deployed revisions.

use std::path::PathBuf;
use std::sync::Arc;

use hyper::StatusCode;
use ordain_deploy::PinnedRevision;

use super::explorer_reply::problem;
use super::no_environment;
use crate::compile::OpenedEnvironment;
use crate::reply::Reply;
use crate::server::Server;

/// `ENVIRONMENT`, or `ENVIRONMENT@REVISION`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Code<'a> {
    pub(super) environment: &'a str,
    revision: Option<&'a str>,
}

/// The directory of code, which no deploy removes while this exists.
pub(super) struct CodeDirectory {
    pub(super) path: PathBuf,
    _revision: Option<PinnedRevision>,
}

impl<'a> Code<'a> {
    pub(super) fn parse(name: &'a str) -> Self {
        match name.split_once('@') {
            Some((environment, revision)) => Self { environment, revision: Some(revision) },
            None => Self { environment: name, revision: None },
        }
    }

    /// Opens the code. Blocks.
    ///
    /// # Errors
    /// The reply if there is no such environment or revision.
    pub(super) fn open(self, server: &Server) -> Result<Arc<OpenedEnvironment>, Reply> {
        let environment = self.environment;
        let found = match self.revision {
            None => server.environments.get(environment),
            Some(id) => match server.environments.get_revision(environment, id) {
                Ok(found) => return found.ok_or_else(|| self.missing()),
                Err(error) => Err(error),
            },
        };
        found.map_err(|error| no_environment(environment, error))
    }

    /// The directory of the code.
    ///
    /// # Errors
    /// The reply if there is no such environment or revision.
    pub(super) fn directory(self, server: &Server) -> Result<CodeDirectory, Reply> {
        let environments = &server.environments;
        let dir = environments.dir(self.environment).ok_or_else(|| self.missing())?;
        let revision = match self.revision {
            Some(id) => {
                let found = environments.revision(self.environment, id);
                Some(found.ok_or_else(|| self.missing())?)
            }
            None => environments.current_revision(self.environment),
        };
        let path = revision.as_ref().map_or(dir, |revision| revision.directory.clone());
        Ok(CodeDirectory { path, _revision: revision })
    }

    /// Whether the code never changes.
    pub(super) fn is_revision(self) -> bool {
        self.revision.is_some()
    }

    fn missing(self) -> Reply {
        let Self { environment, revision } = self;
        let text = match revision {
            Some(id) => format!("the environment {environment} has no revision {id}"),
            None => format!("there is no environment {environment}"),
        };
        problem(StatusCode::NOT_FOUND, &text)
    }
}
