//! Decrypts values during lookups.

use crate::catalog::DataPlace;
use crate::error::{EvalResult, Unwind};
use crate::hiera::eyaml::{SHOWN, is_encrypted_text};
use crate::hiera::lookup::{Lookup, lookup_unwind};
use crate::value::{HashValue, Value};
use std::path::Path;
use std::sync::Arc;

impl Lookup<'_, '_> {
    /// A value of a data file with its encrypted parts decrypted, before interpolation.
    pub(crate) fn decrypted(
        &mut self,
        options: &Value,
        place: &DataPlace,
        value: &Value,
    ) -> EvalResult {
        Ok(match value {
            Value::Str(text) if is_encrypted_text(text) => {
                self.ask_plugins(options, place, text)?;
                let env = self.c.env;
                let (world, known) = (env.world.as_ref(), &mut self.c.decrypted);
                let opened = env.hiera.secrets.decrypt(world, options, text, known);
                Value::from(opened.map_err(|why| self.closed(place, text, &why))?)
            }
            Value::Array(items) => {
                let items = items.iter().map(|item| self.decrypted(options, place, item));
                Value::array(items.collect::<EvalResult<Vec<_>>>()?)
            }
            Value::Hash(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, value)| Ok((key.clone(), self.decrypted(options, place, value)?)));
                Value::Hash(Arc::new(entries.collect::<EvalResult<HashValue>>()?))
            }
            other => other.clone(),
        })
    }

    /// Lets plugins decrypt the parts of a text that only they can.
    fn ask_plugins(&mut self, options: &Value, place: &DataPlace, text: &str) -> EvalResult<()> {
        let secrets = &self.c.env.hiera.secrets;
        for part in secrets.for_plugins(options, text) {
            let Some(span) = self.span.or_else(|| self.config_span()) else {
                let why = format!("the encryptor '{}' cannot be asked here", part.0);
                return Err(self.closed(place, text, &why));
            };
            match self.c.ask_eyaml_encryptor(part, options, span)? {
                Ok(opened) => secrets.decrypted_by_plugin(options, part, &opened),
                Err(why) => return Err(self.closed(place, text, &why)),
            }
        }
        Ok(())
    }

    /// The error of a text that cannot be opened, with the line of its key.
    fn closed(&self, place: &DataPlace, text: &str, why: &str) -> Box<Unwind> {
        let cut = text.char_indices().nth(SHOWN).map(|(at, _)| at);
        let shown = cut.map_or_else(|| text.to_owned(), |at| format!("{}…", &text[..at]));
        let mut unwind = lookup_unwind(format!(
            "hiera-eyaml backend error decrypting {shown} when looking up {} in {}. Error was {why}",
            place.key, place.file
        ));
        if let Unwind::Error(error) = &mut *unwind {
            let line = (place.line > 0).then_some(place.line);
            let span = self.place(Path::new(place.file.as_str()), line);
            error.related.extend(span.map(|span| (span, "the value is given here".to_owned())));
        }
        unwind
    }
}
