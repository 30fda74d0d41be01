//! The clients that may use a route. A handler takes the principal as a value that only the check of the
//! request makes, so a route without a declared principal does not compile.

use std::convert::Infallible;

use crate::identity::Identity;
use crate::reply::{JSON, Reply};
use crate::request::{Request, is_of_another_site};
use hyper::{Method, StatusCode};
use ordain_explorer::{Role, Viewer};

/// A client that may use a route.
pub(crate) trait Principal: Sized + Send + 'static {
    /// Its name in the table of routes.
    const NAME: &'static str;

    /// Checks the client of a request.
    ///
    /// # Errors
    /// The reply for other clients.
    fn admit(request: &Request) -> Result<Self, Reply>;
}

/// Any client, without a certificate too.
#[derive(Debug)]
pub(crate) struct Anyone(());

/// Any client with a certificate.
#[derive(Debug)]
pub(crate) struct AnyNode(Identity);

/// The node whose name is in the URL.
#[derive(Debug)]
pub(crate) struct OwnName(Identity);

/// A client whose certificate has the extension `pp_cli_auth`.
#[derive(Debug)]
pub(crate) struct Admin(Identity);

/// A client that may send queries of PuppetDB's API: an administrator, a name in the settings, or
/// any client of the loopback address for it.
#[derive(Debug)]
pub(crate) struct QueryClient(());

/// A client that may send commands of PuppetDB's API about any node: an administrator, or a name in
/// the settings.
#[derive(Debug)]
pub(crate) struct CommandSender(());

/// A user of the web explorer: an administrator, or a user in the settings.
#[derive(Debug)]
pub(crate) struct Explorer(Viewer);

/// A user of the web explorer with the role `run` in some environment, who acts on a page of this
/// server.
#[derive(Debug)]
pub(crate) struct ExplorerRunner(Viewer);

/// The same with the role `sign`.
#[derive(Debug)]
pub(crate) struct ExplorerSigner(Viewer);

/// The same with the role `admin` in some environment.
#[derive(Debug)]
pub(crate) struct ExplorerAdmin(Viewer);

/// Nobody.
#[derive(Debug)]
pub(crate) struct Denied(Infallible);

impl AnyNode {
    /// The client.
    pub(crate) fn identity(&self) -> &Identity {
        &self.0
    }
}

impl OwnName {
    /// The client, whose name is in the URL.
    pub(crate) fn identity(&self) -> &Identity {
        &self.0
    }
}

impl Admin {
    /// The client.
    pub(crate) fn identity(&self) -> &Identity {
        &self.0
    }
}

impl Explorer {
    /// The user.
    pub(crate) fn viewer(&self) -> &Viewer {
        &self.0
    }
}

impl ExplorerRunner {
    /// The user.
    pub(crate) fn viewer(&self) -> &Viewer {
        &self.0
    }
}

impl ExplorerSigner {
    /// The user.
    pub(crate) fn viewer(&self) -> &Viewer {
        &self.0
    }
}

impl ExplorerAdmin {
    /// The user.
    pub(crate) fn viewer(&self) -> &Viewer {
        &self.0
    }
}

impl Denied {
    /// Cannot be called, since nobody is admitted.
    pub(crate) fn never(self) -> Reply {
        match self.0 {}
    }
}

/// The reply for a client that may not use a route.
pub(crate) fn forbidden(request: &Request) -> Reply {
    let who = match &request.identity {
        Some(identity) => identity.name.as_str(),
        None => "a client without a certificate",
    };
    let path = request.target.segments.join("/");
    let text = format!("Forbidden request: /{path} (method {}) by {who}", request.method);
    Reply::text(StatusCode::FORBIDDEN, text)
}

impl Principal for Anyone {
    const NAME: &'static str = "anyone";

    fn admit(_: &Request) -> Result<Self, Reply> {
        Ok(Self(()))
    }
}

impl Principal for AnyNode {
    const NAME: &'static str = "any node";

    fn admit(request: &Request) -> Result<Self, Reply> {
        request.identity.clone().map(Self).ok_or_else(|| forbidden(request))
    }
}

impl Principal for OwnName {
    const NAME: &'static str = "own name";

    fn admit(request: &Request) -> Result<Self, Reply> {
        let identity = request.identity.clone().ok_or_else(|| forbidden(request))?;
        // Byte for byte: neither case nor dots nor patterns make two names equal.
        match request.captured.name.as_deref() == Some(identity.name.as_str()) {
            true => Ok(Self(identity)),
            false => Err(forbidden(request)),
        }
    }
}

impl Principal for Admin {
    const NAME: &'static str = "admin";

    fn admit(request: &Request) -> Result<Self, Reply> {
        let identity = request.identity.clone().filter(|identity| identity.is_admin);
        identity.map(Self).ok_or_else(|| forbidden(request))
    }
}

impl Principal for QueryClient {
    const NAME: &'static str = "puppetdb client";

    fn admit(request: &Request) -> Result<Self, Reply> {
        if request.access.may_query { Ok(Self(())) } else { Err(forbidden(request)) }
    }
}

impl Principal for CommandSender {
    const NAME: &'static str = "puppetdb sender";

    fn admit(request: &Request) -> Result<Self, Reply> {
        if request.access.may_send { Ok(Self(())) } else { Err(forbidden(request)) }
    }
}

impl Principal for Explorer {
    const NAME: &'static str = "explorer user";

    fn admit(request: &Request) -> Result<Self, Reply> {
        request.viewer.clone().map(Self).ok_or_else(|| forbidden(request))
    }
}

impl Principal for ExplorerRunner {
    const NAME: &'static str = "explorer role run";

    fn admit(request: &Request) -> Result<Self, Reply> {
        user_with(Role::Run, request).map(Self)
    }
}

impl Principal for ExplorerSigner {
    const NAME: &'static str = "explorer role sign";

    fn admit(request: &Request) -> Result<Self, Reply> {
        user_with(Role::Sign, request).map(Self)
    }
}

impl Principal for ExplorerAdmin {
    const NAME: &'static str = "explorer role admin";

    fn admit(request: &Request) -> Result<Self, Reply> {
        user_with(Role::Admin, request).map(Self)
    }
}

/// The user of a request that may act.
///
/// A browser sends the certificate or the cookie of its user along with requests that a page of another
/// site starts. But such a page cannot send JSON without asking first (Fetch, section 4.8, CORS-preflight fetch),
/// which no route allows.
fn user_with(role: Role, request: &Request) -> Result<Viewer, Reply> {
    let viewer = request.viewer.clone().ok_or_else(|| forbidden(request))?;
    if !viewer.has(role) {
        let text = format!("{} has not the role `{role}`", viewer.name);
        return Err(Reply::text(StatusCode::FORBIDDEN, text));
    }
    if is_of_another_site(&request.headers) {
        return Err(Reply::text(
            StatusCode::FORBIDDEN,
            "the request comes from a page of another site",
        ));
    }
    if request.method != Method::GET && request.content_type() != JSON {
        let text = format!("the header Content-Type is not {JSON}");
        return Err(Reply::text(StatusCode::UNSUPPORTED_MEDIA_TYPE, text));
    }
    Ok(viewer)
}

impl Principal for Denied {
    const NAME: &'static str = "nobody";

    fn admit(request: &Request) -> Result<Self, Reply> {
        Err(forbidden(request))
    }
}
