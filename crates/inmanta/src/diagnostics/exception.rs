//! The classes of Python exceptions.

use std::fmt;

use ecow::EcoString;

/// Declares the enum with the qualified name of each class.
macro_rules! exceptions {
    ($($variant:ident => $name:literal,)*) => {
        /// The class of a Python exception.
        #[derive(Clone, PartialEq, Eq, Debug)]
        #[allow(missing_docs)]
        pub enum Exception {
            $($variant,)*
            /// A class that this crate does not know, by its qualified name.
            Other(EcoString),
        }

        impl Exception {
            /// The class of this qualified name.
            pub fn named(name: &str) -> Self {
                match name {
                    $($name => Self::$variant,)*
                    _ => Self::Other(name.into()),
                }
            }

            /// The name, with the module unless it is built in.
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Other(name) => name,
                }
            }
        }
    };
}

exceptions! {
    AssertionError => "AssertionError",
    AttributeError => "AttributeError",
    Exception => "Exception",
    FileNotFoundError => "FileNotFoundError",
    IndexError => "IndexError",
    KeyError => "KeyError",
    LookupError => "LookupError",
    MemoryError => "MemoryError",
    ModuleNotFoundError => "ModuleNotFoundError",
    NotImplementedError => "NotImplementedError",
    OSError => "OSError",
    OverflowError => "OverflowError",
    RecursionError => "RecursionError",
    RuntimeError => "RuntimeError",
    SyntaxError => "SyntaxError",
    TypeError => "TypeError",
    UnicodeDecodeError => "UnicodeDecodeError",
    UnicodeEncodeError => "UnicodeEncodeError",
    ValueError => "ValueError",
    ZeroDivisionError => "ZeroDivisionError",
    AddressValueError => "ipaddress.AddressValueError",
    DependencyCycle => "inmanta.export.DependencyCycleException",
    FilterArgument => "jinja2.exceptions.FilterArgumentError",
    JsonDecodeError => "json.decoder.JSONDecodeError",
    ReferenceCycle => "inmanta.references.ReferenceCycleException",
    RegexError => "re.error",
    Resource => "inmanta.resources.ResourceException",
    SchemaError => "pydantic_core._pydantic_core.SchemaError",
    TemplateAssertion => "jinja2.exceptions.TemplateAssertionError",
    TemplateNotFound => "jinja2.exceptions.TemplateNotFound",
    TemplateRuntime => "jinja2.exceptions.TemplateRuntimeError",
    TemplateSyntax => "jinja2.exceptions.TemplateSyntaxError",
    TemplatesNotFound => "jinja2.exceptions.TemplatesNotFound",
}

impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
