//! Ecore: models of classes, attributes and references as in the Eclipse Modeling Framework, and
//! the `.ecore` files (XMI 2.0) that its tools exchange.
//!
//! The model is plain data, and writing a [`read`] file again ([`write()`]) preserves it. Parts of
//! a file that the model does not represent (operations, type parameters) are listed in
//! [`Document::left_out`]. Files are untrusted: reading has limits ([`MAX_DEPTH`] and others), and
//! document types, and with them custom entities, are refused.
//!
//! ```
//! use ordain_ecore::{Classifier, read, write};
//!
//! let text = r#"<ecore:EPackage xmlns:ecore="http://www.eclipse.org/emf/2002/Ecore"
//!     xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" name="shop">
//!   <eClassifiers xsi:type="ecore:EClass" name="Item"/>
//! </ecore:EPackage>"#;
//! let found = read(text, None).map_err(|problem| problem.message)?;
//! let [Classifier::Class(item)] = &*found.packages[0].classifiers else { panic!() };
//! assert_eq!(item.name, "Item");
//! assert_eq!(read(&write(&found.packages), None).map_err(|p| p.message)?.packages, found.packages);
//! # Ok::<(), String>(())
//! ```

mod encoding;
mod model;
mod namespaces;
mod read;
mod write;

pub use encoding::decode;
pub use model::{
    Annotation, Attribute, Class, Classifier, DataType, Enumeration, Feature, FeatureRef,
    FeatureRole, Literal, Operation, Package, Parameter, Reference, TypeRef, annotation,
};
pub use namespaces::{ECORE, XML_TYPES};
pub use read::{
    Document, MAX_ATTRIBUTES, MAX_DEPTH, MAX_ELEMENTS, MAX_NAMESPACES, MAX_TEXT, MAX_VALUE,
    Problem, read,
};
pub use write::write;
