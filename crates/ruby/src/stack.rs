//! Measures the use of the stack.

/// An address on the stack.
#[inline(never)]
pub(crate) fn address() -> usize {
    let marker = 0u8;
    std::ptr::from_ref(&marker) as usize
}

/// The distance in bytes to an earlier address.
pub(crate) fn used(base: usize) -> usize {
    base.abs_diff(address())
}
