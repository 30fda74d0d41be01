//! Facts of this machine, native and external
