//! Certificate requests: receiving, signing and deleting them.

use crate::authority::{CertificateAuthority, Issue};
use crate::certificate::Certificate;
use crate::directory::{self, PUBLIC, WriteLock};
use crate::policy::{self, Allowed};
use crate::request::CertificateRequest;
use crate::settings::{Autosign, SignOptions};
use crate::{CaError, Certname, autosign};

/// The largest number of pending requests. Anybody can send requests, so their number must be
/// limited.
const MAX_REQUESTS: usize = 50_000;

/// The result of submitting a request.
#[derive(Debug, Clone)]
pub enum Submission {
    /// The request waits for an administrator.
    Pending,
    /// The certificate was signed at once.
    Signed(Box<Certificate>),
}

/// The result of signing several requests.
#[derive(Debug, Default)]
pub struct SignResult {
    /// Names whose certificates were signed.
    pub signed: Vec<String>,
    /// Names without a request.
    pub no_request: Vec<String>,
    /// Names whose requests were refused, with the reasons.
    pub errors: Vec<(String, CaError)>,
}

impl CertificateAuthority {
    /// Receives a request for a name, as PEM text, and signs it if the settings allow that.
    ///
    /// # Errors
    /// The request is malformed, is for another name, has a weak key, or asks for something that no
    /// setting allows, or the name already has a request or a certificate. A request that autosign
    /// accepts but the settings forbid stays pending, and the reason is returned.
    ///
    /// A request that is pending already may be sent again if autosign is on: the server may have ended
    /// between storing and signing it.
    pub fn submit(&self, name: &str, pem: &[u8]) -> Result<Submission, CaError> {
        let request = CertificateRequest::from_pem(pem)?;
        let subject = request.common_name().unwrap_or_default();
        if subject != name {
            let cut = |text: &str| text.chars().take(80).collect();
            return Err(CaError::NameMismatch { subject: cut(&subject), name: cut(name) });
        }
        let name = Certname::new(name)?;
        request.verify()?;
        policy::check_kinds(&request)?;
        {
            let _lock = self.directory.lock()?;
            if !self.is_sent_again(&name, &request)? {
                self.check_duplicate(&name)?;
                if directory::count(&self.directory.requests_dir())? >= MAX_REQUESTS {
                    return Err(CaError::TooManyRequests);
                }
                let path = self.directory.request(&name);
                directory::replace(&path, request.pem().as_bytes(), PUBLIC)?;
            }
        }
        // An autosign command may take long, so the lock is not held.
        if !self.accepts(&name, &request)? {
            return Ok(Submission::Pending);
        }
        let lock = self.directory.lock()?;
        // Another process may have signed, replaced or removed the request meanwhile.
        match self.stored_request(&name)? {
            Some(stored) if stored.der() == request.der() => {}
            Some(_) => return Ok(Submission::Pending),
            None => {
                return match self.stored_certificate(&name)? {
                    Some(certificate) => Ok(Submission::Signed(Box::new(certificate))),
                    None => Err(CaError::NoRequest(name.to_string())),
                };
            }
        }
        let certificate = self.sign_request(&lock, &name, &request, &SignOptions::default())?;
        Ok(Submission::Signed(Box::new(certificate)))
    }

    /// Signs the request of a name.
    ///
    /// # Errors
    /// [`CaError::NoRequest`], or the reason to refuse the request, which then stays pending.
    pub fn sign(&self, name: &str, options: &SignOptions) -> Result<Certificate, CaError> {
        let name = Certname::new(name)?;
        let lock = self.directory.lock()?;
        let request = self.stored_request(&name)?;
        let request = request.ok_or_else(|| CaError::NoRequest(name.to_string()))?;
        self.sign_request(&lock, &name, &request, options)
    }

    /// Signs the requests of several names.
    ///
    /// # Errors
    /// Errors of the directory. Errors of single requests are part of the result.
    pub fn sign_names(
        &self,
        names: &[String],
        options: &SignOptions,
    ) -> Result<SignResult, CaError> {
        let mut outcome = SignResult::default();
        for name in names {
            match self.sign(name, options) {
                Ok(_) => outcome.signed.push(name.clone()),
                Err(CaError::NoRequest(_) | CaError::InvalidName { .. }) => {
                    outcome.no_request.push(name.clone());
                }
                Err(e @ CaError::Io { .. }) => return Err(e),
                Err(e) => outcome.errors.push((name.clone(), e)),
            }
        }
        Ok(outcome)
    }

    /// Signs all requests.
    ///
    /// # Errors
    /// The same as [`CertificateAuthority::sign_names`].
    pub fn sign_all(&self, options: &SignOptions) -> Result<SignResult, CaError> {
        let names = directory::names_in(&self.directory.requests_dir())?;
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        self.sign_names(&names, options)
    }

    /// The certificate of a name as PEM text; `None` if there is none or the name is not valid.
    ///
    /// # Errors
    /// [`CaError::Io`].
    pub fn certificate_pem(&self, name: &str) -> Result<Option<Vec<u8>>, CaError> {
        let Ok(name) = Certname::new(name) else { return Ok(None) };
        directory::read_if_exists(&self.directory.certificate(&name))
    }

    /// The request of a name as PEM text; `None` if there is none or the name is not valid.
    ///
    /// # Errors
    /// [`CaError::Io`].
    pub fn request_pem(&self, name: &str) -> Result<Option<Vec<u8>>, CaError> {
        let Ok(name) = Certname::new(name) else { return Ok(None) };
        directory::read_if_exists(&self.directory.request(&name))
    }

    /// Removes the request of a name. Returns false if there is none.
    ///
    /// # Errors
    /// [`CaError::Io`].
    pub fn delete_request(&self, name: &str) -> Result<bool, CaError> {
        let Ok(name) = Certname::new(name) else { return Ok(false) };
        let _lock = self.directory.lock()?;
        directory::remove(&self.directory.request(&name))
    }

    /// The stored request of a name.
    pub(crate) fn stored_request(
        &self,
        name: &Certname,
    ) -> Result<Option<CertificateRequest>, CaError> {
        let path = self.directory.request(name);
        let Some(text) = directory::read_if_exists(&path)? else { return Ok(None) };
        CertificateRequest::from_pem(&text).map(Some)
    }

    /// The stored certificate of a name.
    pub(crate) fn stored_certificate(
        &self,
        name: &Certname,
    ) -> Result<Option<Certificate>, CaError> {
        let path = self.directory.certificate(name);
        let Some(text) = directory::read_if_exists(&path)? else { return Ok(None) };
        Certificate::from_pem(&text).map(Some).map_err(|e| CaError::damaged(&path, e.to_string()))
    }

    /// Whether a request is the pending one of its name, and could have been signed at once.
    fn is_sent_again(
        &self,
        name: &Certname,
        request: &CertificateRequest,
    ) -> Result<bool, CaError> {
        if self.settings.autosign == Autosign::Off || self.stored_certificate(name)?.is_some() {
            return Ok(false);
        }
        // A request that cannot be read is no reason to refuse a good one differently.
        let stored = self.stored_request(name).unwrap_or_default();
        Ok(stored.is_some_and(|stored| stored.der() == request.der()))
    }

    fn check_duplicate(&self, name: &Certname) -> Result<(), CaError> {
        if self.settings.allow_duplicate_certs { Ok(()) } else { self.refuse_duplicate(name) }
    }

    /// Fails if a name has a certificate or a request.
    pub(crate) fn refuse_duplicate(&self, name: &Certname) -> Result<(), CaError> {
        let state = match self.stored_certificate(name)? {
            Some(certificate) if self.is_revoked(&certificate)? => "revoked",
            Some(_) => "signed",
            None if self.directory.request(name).exists() => "requested",
            None => return Ok(()),
        };
        Err(CaError::Duplicate { name: name.to_string(), state })
    }

    fn accepts(&self, name: &Certname, request: &CertificateRequest) -> Result<bool, CaError> {
        match &self.settings.autosign {
            Autosign::Off => Ok(false),
            Autosign::All => Ok(true),
            Autosign::File(path) => {
                autosign::decide(path, name, request, self.settings.autosign_timeout)
            }
        }
    }

    fn sign_request(
        &self,
        lock: &WriteLock,
        name: &Certname,
        request: &CertificateRequest,
        options: &SignOptions,
    ) -> Result<Certificate, CaError> {
        // The file may come from another program, so it is checked again.
        let subject = request.common_name().unwrap_or_default();
        if subject != name.as_str() {
            return Err(CaError::NameMismatch { subject, name: name.to_string() });
        }
        request.verify()?;
        let settings = &self.settings;
        let allowed = Allowed {
            alt_names: settings.allow_subject_alt_names || options.allow_subject_alt_names,
            authorization: settings.allow_authorization_extensions
                || options.allow_authorization_extensions,
        };
        policy::check(name, request, allowed)?;
        let renews = settings.allow_auto_renewal && request.supports_renewal();
        let usual = if renews { settings.auto_renewal_ttl } else { settings.ttl };
        let certificate = self.issue(
            lock,
            Issue {
                name,
                ttl: options.ttl.unwrap_or(usual),
                public_key: request.public_key(),
                extensions: policy::for_request(name, request, self.certificate())?,
            },
        )?;
        directory::remove(&self.directory.request(name))?;
        Ok(certificate)
    }
}
