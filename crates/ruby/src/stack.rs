//! How much stack is in use.

/// An address on the stack.
#[inline(never)]
pub(crate) fn address() -> usize {
    let marker = 0u8;
    std::ptr::from_ref(&marker) as usize
}

/// The bytes between here and an address of before.
pub(crate) fn used(base: usize) -> usize {
    base.abs_diff(address())
}
