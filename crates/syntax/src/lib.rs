//! The parsing toolkit: cursor, arena lists, binding powers, progress guard
