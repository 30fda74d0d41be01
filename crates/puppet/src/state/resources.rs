//! Resources of the catalog by references.

use crate::catalog::ResourceId;
use crate::state::Compiler;
use crate::types::Type;
use crate::value::Value;
use crate::value::resource_key::reference_key;
use ecow::EcoString;

impl Compiler<'_> {
    /// The whole set of parameters of a declared resource; `None` if the resource does not exist.
    pub fn resource_parameters(&mut self, reference: &Type) -> Option<Vec<(EcoString, Value)>> {
        Some(self.parameters_of(self.resource_of(reference)?))
    }

    /// The resource of a reference.
    pub(crate) fn resource_of(&self, reference: &Type) -> Option<ResourceId> {
        self.catalog.find(&reference_key(reference)?)
    }

    /// The parameters of a resource that were set so far.
    pub(crate) fn parameters_of(&self, id: ResourceId) -> Vec<(EcoString, Value)> {
        let params = self.catalog.get(id).params.iter();
        params.map(|p| (p.name.clone(), p.value.clone())).collect()
    }
}
