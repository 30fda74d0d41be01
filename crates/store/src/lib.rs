//! Run journal and state
