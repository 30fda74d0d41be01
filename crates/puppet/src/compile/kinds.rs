//! Resource types by the names that code uses, each found once per compile.

use std::sync::Arc;

use crate::catalog::ResourceKind;
use crate::catalog::resource::KnownKind;
use crate::catalog::tags::{self, TagSet};
use crate::error::{EvalResult, plain};
use crate::state::Compiler;
use crate::syntax::names::capitalize_segments;

impl Compiler<'_> {
    /// The resource type of this name in any case: native, a define, or a type with features.
    /// Classes are not resource types.
    pub(crate) fn resource_type(&mut self, name: &str) -> EvalResult<Option<Arc<KnownKind>>> {
        if let Some(known) = self.types.resource_type(name) {
            return Ok(Some(Arc::clone(known)));
        }
        let lower = name.strip_prefix("::").unwrap_or(name).to_lowercase();
        let what = match self.env.native_type(&lower) {
            Some(_) if lower == "stage" => ResourceKind::Stage,
            Some(mut schema) => {
                if let Some(why) = schema.ruby.as_ref().and_then(|ruby| ruby.broken.clone()) {
                    return plain(why);
                }
                if let Some(ruby) = schema.ruby.as_ref().filter(|ruby| ruby.unclear) {
                    schema.ruby = Some(self.examined_type(&lower, &Arc::clone(ruby)));
                }
                ResourceKind::Native(Arc::new(schema))
            }
            None => match self.define_named(&lower)? {
                Some(def) => ResourceKind::Define(def),
                None => match self.model_resource(&lower)? {
                    Some(schema) => ResourceKind::Native(Arc::new(schema)),
                    None => return Ok(None),
                },
            },
        };
        let title = capitalize_segments(&lower);
        let tags = self.kind_tags(&lower);
        let known = Arc::new(KnownKind { title, what, tags });
        self.types.set_resource_type(name, Arc::clone(&known));
        Ok(Some(known))
    }

    /// The tags that a resource gets from the name of its type.
    pub(crate) fn kind_tags(&mut self, lower: &str) -> TagSet {
        let mut set = TagSet::default();
        for tag in tags::with_segments(lower) {
            set.insert(self.catalog.tags.intern(tag));
        }
        set
    }
}
