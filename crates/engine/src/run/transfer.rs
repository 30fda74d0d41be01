//! Transfers: values that resources send to others during a run.

use std::sync::{Mutex, PoisonError};

use ordain_data::Value;
use ordain_graph::transfer::transfers;
use ordain_graph::{Attribute, ResourceId, ResourceRef};
use rustc_hash::FxHashMap;

use crate::kind::{AttributeError, KindError};
use crate::run::prepare::{Item, Prepared, Ready};
use crate::system::host::Host;

/// The values that a resource sends, by name.
type SentValues = Vec<(&'static str, Value)>;

/// The sent values of resources that also receive. They are stored by name, so that they outlive
/// the graph.
#[derive(Default)]
pub(crate) struct Transfers {
    kept: Mutex<FxHashMap<ResourceRef, SentValues>>,
}

/// A resource with its received values.
pub(crate) struct ReceivedValues {
    /// The resource, if it differs from the one without received values.
    pub(crate) ready: Option<Ready>,
    /// The values that did not arrive, and their senders.
    pub(crate) missing: Vec<String>,
}

impl Transfers {
    /// Sets the values that a resource receives. All senders were checked before it.
    ///
    /// # Errors
    /// If the resource does not accept a value.
    pub(crate) fn receive(
        &self,
        prepared: &Prepared,
        id: ResourceId,
        host: &Host,
    ) -> Result<ReceivedValues, Vec<AttributeError>> {
        let declared = prepared.graph.resource(id);
        let mut resource = None;
        let mut missing = Vec::new();
        for transfer in transfers(declared) {
            let from = prepared.graph.find(&transfer.from);
            let sent = match from.map(|from| self.sent(prepared, from, host)) {
                Some(Ok(sent)) => sent,
                Some(Err(error)) => {
                    missing.push(error.to_string());
                    continue;
                }
                None => {
                    missing.push(format!("sender {} is not in the graph", transfer.from));
                    continue;
                }
            };
            let Some((_, value)) = sent.into_iter().find(|(key, _)| *key == transfer.key) else {
                let (from, key) = (&transfer.from, transfer.key);
                let attribute = transfer.attribute;
                missing.push(format!("{attribute} is unknown: {from}.{key} has no value yet"));
                continue;
            };
            let resource = resource.get_or_insert_with(|| declared.clone());
            let origin = resource.origin;
            resource.attributes.retain(|one| one.name != transfer.attribute);
            let name = transfer.attribute.into();
            resource.attributes.push(Attribute { name, value, origin, losers: Vec::new() });
        }
        let ready = resource.map(|mut resource| {
            resource.keep_private();
            prepared.parse(&resource)
        });
        let ready = ready.transpose()?;
        Ok(ReceivedValues { ready, missing })
    }

    fn sent(
        &self,
        prepared: &Prepared,
        from: ResourceId,
        host: &Host,
    ) -> Result<SentValues, KindError> {
        let name = &prepared.graph.resource(from).id;
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        match (kept, &prepared.items[from.0 as usize]) {
            (Some(kept), _) => Ok(kept),
            (None, Item::Ready(ready)) => ready.instance.sent(host),
            (None, _) => Ok(SentValues::new()),
        }
    }

    /// Stores the sent values of a resource that also receives.
    ///
    /// # Errors
    /// When the values cannot be read.
    pub(crate) fn keep(
        &self,
        name: &ResourceRef,
        ready: &Ready,
        host: &Host,
    ) -> Result<(), KindError> {
        let sent = ready.instance.sent(host)?;
        if !sent.is_empty() {
            self.kept.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone(), sent);
        }
        Ok(())
    }
}
