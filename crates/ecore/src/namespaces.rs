//! The XML namespaces of `.ecore` files.

/// The namespace of Ecore itself.
pub const ECORE: &str = "http://www.eclipse.org/emf/2002/Ecore";
/// The namespace of the data types of XML Schema as EMF has them.
pub const XML_TYPES: &str = "http://www.eclipse.org/emf/2003/XMLType";
/// The namespace of XMI, the format around the model.
pub(crate) const XMI: &str = "http://www.omg.org/XMI";
/// The namespace of `xsi:type`.
pub(crate) const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";
