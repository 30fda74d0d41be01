//! Values derived from parsed programs, each made once in a compile.
//!
//! The keys contain the addresses of programs. They stay valid because the environment and
//! the cached texts keep every program until the compile ends.

use crate::load::{Environment, LoadedFile};
use crate::syntax::{ExprId, Program};
use crate::types::Regexp;
use crate::types::signature::Signature;
use ecow::EcoString;
use rustc_hash::FxHashMap;
use std::path::Path;
use std::sync::Arc;

/// The kind of a text in a manifest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Inline {
    /// An EPP template.
    Template,
    /// A type.
    Type,
}

/// Identifies a parameter list: the address of its program, and the start of the list in it.
pub(crate) type SignatureKey = (usize, u32);

/// Values derived from parsed programs.
#[derive(Default)]
pub(crate) struct Programs {
    signatures: FxHashMap<SignatureKey, Arc<Signature>>,
    regexes: FxHashMap<(usize, ExprId), Arc<Regexp>>,
    texts: FxHashMap<(Inline, EcoString), Arc<LoadedFile>>,
}

impl Programs {
    /// The program of a text in a manifest, such as a template or a type.
    pub(crate) fn inline(
        &mut self,
        env: &Environment,
        text: &str,
        form: Inline,
    ) -> Arc<LoadedFile> {
        let key = (form, EcoString::from(text));
        let parsed = self.texts.entry(key).or_insert_with(|| match form {
            Inline::Template => env.parse_template(Path::new(""), text),
            Inline::Type => env.parse_code(Path::new(""), text),
        });
        Arc::clone(parsed)
    }

    /// The value of a regular expression in a program.
    pub(crate) fn regex(
        &mut self,
        program: &Arc<Program>,
        id: ExprId,
        source: &EcoString,
    ) -> Arc<Regexp> {
        let key = (Arc::as_ptr(program) as usize, id);
        let regex = self.regexes.entry(key);
        Arc::clone(regex.or_insert_with(|| Arc::new(Regexp::new(source.clone()))))
    }

    /// The evaluated types of a parameter list.
    pub(crate) fn signature(&self, key: SignatureKey) -> Option<&Arc<Signature>> {
        self.signatures.get(&key)
    }

    /// Keeps the evaluated types of a parameter list.
    pub(crate) fn set_signature(&mut self, key: SignatureKey, signature: Arc<Signature>) {
        self.signatures.insert(key, signature);
    }

    /// As [`Self::set_signature`], unless the list has types already.
    pub(crate) fn add_signature(&mut self, key: SignatureKey, signature: Arc<Signature>) {
        self.signatures.entry(key).or_insert(signature);
    }
}
