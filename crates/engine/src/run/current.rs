//! The resource that a thread works on, for those who handle a panic.

use std::cell::RefCell;

use ordain_graph::ResourceRef;

thread_local! {
    static CURRENT: RefCell<Option<CurrentResource>> = const { RefCell::new(None) };
}

/// A resource as it is declared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CurrentResource {
    /// The resource.
    pub resource: ResourceRef,
    /// Equal for equal attributes, also in another process of the same program.
    pub digest: u64,
}

/// A resource in which an earlier process crashed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CrashedResource {
    /// The resource, as it is displayed.
    pub resource: String,
    /// That of [`CurrentResource`].
    pub digest: u64,
    /// The place in Ordain's source.
    pub place: String,
}

/// The resource that this thread compares or changes. `None` outside of resources.
pub fn current_resource() -> Option<CurrentResource> {
    CURRENT.with_borrow(Clone::clone)
}

/// Until it is dropped, the thread works on a resource.
pub(crate) struct CurrentGuard(());

impl CurrentGuard {
    pub(crate) fn enter(current: CurrentResource) -> Self {
        CURRENT.replace(Some(current));
        Self(())
    }
}

impl Drop for CurrentGuard {
    fn drop(&mut self) {
        CURRENT.replace(None);
    }
}

/// Panics in the resource that the environment names. Only debug builds have it, for tests.
#[cfg(debug_assertions)]
pub(crate) fn panic_for_tests(resource: &ResourceRef) {
    if std::env::var("ORDAIN_PANIC_IN").is_ok_and(|name| name == resource.to_string()) {
        panic!("a test asked for it");
    }
}
