//! Records of the inputs of compiles. As long as no input has changed, another compile has the same
//! result.

mod exports;
mod record;
mod states;
mod table;
mod values;
mod world;

pub use record::{CompileRecord, Difference, InputKind};
pub use states::{FileState, FileStates};
pub use table::{ChangedInputs, RecordTable, TableRecord};

pub(crate) use exports::RecordedExports;
pub(crate) use values::NodeValues;
pub(crate) use world::ObservedWorld;
