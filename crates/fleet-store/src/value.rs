//! The values that a database stores and returns.

use crate::error::FleetStoreError;

/// The value of a column or a parameter.
///
/// SQLite has fewer types than PostgreSQL and returns booleans as integers; the accessors accept
/// both. Both return JSON as text.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// SQL's `NULL`.
    Null,
    /// A boolean.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A floating-point number.
    Float(f64),
    /// Text or JSON.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl Value {
    /// The integer.
    ///
    /// # Errors
    /// When it has another type.
    pub fn integer(&self) -> Result<i64, FleetStoreError> {
        match self {
            Self::Integer(number) => Ok(*number),
            other => Err(FleetStoreError::unexpected("an integer", other.type_name())),
        }
    }

    /// The boolean.
    ///
    /// # Errors
    /// When it has another type.
    pub fn boolean(&self) -> Result<bool, FleetStoreError> {
        match self {
            Self::Boolean(flag) => Ok(*flag),
            Self::Integer(number) => Ok(*number != 0),
            other => Err(FleetStoreError::unexpected("a boolean", other.type_name())),
        }
    }

    /// The text.
    ///
    /// # Errors
    /// When it has another type.
    pub fn text(&self) -> Result<&str, FleetStoreError> {
        match self {
            Self::Text(text) => Ok(text),
            other => Err(FleetStoreError::unexpected("text", other.type_name())),
        }
    }

    /// The bytes.
    ///
    /// # Errors
    /// When it has another type.
    pub fn bytes(&self) -> Result<&[u8], FleetStoreError> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            other => Err(FleetStoreError::unexpected("bytes", other.type_name())),
        }
    }

    /// `None` for `NULL`, else the result of the accessor.
    ///
    /// # Errors
    /// The same as the accessor.
    pub fn optional<'a, T>(
        &'a self,
        accessor: impl FnOnce(&'a Self) -> Result<T, FleetStoreError>,
    ) -> Result<Option<T>, FleetStoreError> {
        match self {
            Self::Null => Ok(None),
            value => accessor(value).map(Some),
        }
    }

    /// The name of its type, for error messages.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "NULL",
            Self::Boolean(_) => "a boolean",
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a number",
            Self::Text(_) => "text",
            Self::Bytes(_) => "bytes",
        }
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Boolean(flag)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Float(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Self {
        Self::Bytes(bytes.into())
    }
}

impl From<Vec<u8>> for Value {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
