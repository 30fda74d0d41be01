//! Backends of Hiera 3 and encryptors of eyaml in the `ruby` process.

use ordain_source::Span;
use serde_json::json;

use crate::error::EvalResult;
use crate::plugins::state::Callee;
use crate::state::Compiler;
use crate::value::Value;
use crate::value::closure::ScopeId;

/// A value. The error means that there is none; it has the reason if the backend could not be
/// loaded.
pub(crate) type BackendAnswer = Result<Value, Option<String>>;

impl Compiler<'_> {
    /// Asks a backend for a key. The arguments are its configuration, the first paths, and the
    /// merge strategy.
    ///
    /// # Errors
    /// When `ruby` is missing, or the code of the backend fails.
    pub(crate) fn ask_hiera3_backend(
        &mut self,
        name: &str,
        key: &str,
        arguments: &[Value; 3],
        (scope, span): (ScopeId, Span),
    ) -> EvalResult<BackendAnswer> {
        let what = format!("the Hiera 3 backend '{name}'");
        let place = format!("hiera/backend/{}_backend.rb", name.to_lowercase());
        let callee = Callee { what: &what, place: &place };
        self.with_ruby(callee, span, |this| {
            this.with_shared_values(|this| {
                let [options, first, merge] = arguments.each_ref().map(|v| this.pack_value(v));
                let request = json!(["hiera3", name, key, scope.0, options, first, merge]);
                let answer = this.converse(callee, span, request)?;
                if answer[0].as_bool() == Some(true) {
                    return Ok(Ok(this.unpack_value(&answer[1])?));
                }
                Ok(Err(answer[1].as_str().map(str::to_owned)))
            })
        })
    }

    /// Decrypts a value, in base64, with an encryptor of eyaml that a plugin brings. The inner error
    /// is the reason why the plugin could not.
    ///
    /// # Errors
    /// When `ruby` is missing or stops.
    pub(crate) fn ask_eyaml_encryptor(
        &mut self,
        (scheme, cipher): (&str, &str),
        options: &Value,
        span: Span,
    ) -> EvalResult<Result<String, String>> {
        let what = format!("the eyaml encryptor '{scheme}'");
        let place = format!("hiera/backend/eyaml/encryptors/{}.rb", scheme.to_lowercase());
        let callee = Callee { what: &what, place: &place };
        self.with_ruby(callee, span, |this| {
            this.with_shared_values(|this| {
                let request = json!(["eyaml", scheme, cipher, this.pack_value(options)]);
                let answer = this.converse(callee, span, request)?;
                let text = answer[1].as_str().unwrap_or_default().to_owned();
                Ok(if answer[0].as_bool() == Some(true) { Ok(text) } else { Err(text) })
            })
        })
    }
}
