//! The built-in classes.

/// A class or module, by its number in the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Class(u8);

struct Info {
    name: &'static str,
    parent: u8,
}

macro_rules! classes {
    ($($id:ident $name:literal $parent:ident;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Number { $($id),* }
        impl Class {
            $(
                #[doc = concat!("`", $name, "`")]
                pub const $id: Class = Class(Number::$id as u8);
            )*
        }
        const TABLE: &[Info] = &[$(Info { name: $name, parent: Number::$parent as u8 }),*];
    };
}

classes! {
    BASIC_OBJECT "BasicObject" BASIC_OBJECT;
    OBJECT "Object" BASIC_OBJECT;
    KERNEL "Kernel" OBJECT;
    COMPARABLE "Comparable" OBJECT;
    ENUMERABLE "Enumerable" OBJECT;
    MATH "Math" OBJECT;
    JSON "JSON" OBJECT;
    YAML "YAML" OBJECT;
    PSYCH "Psych" OBJECT;
    SHELLWORDS "Shellwords" OBJECT;
    ERB "ERB" OBJECT;
    ERB_UTIL "ERB::Util" OBJECT;
    CGI "CGI" OBJECT;
    DIGEST "Digest" OBJECT;
    DIGEST_MD5 "Digest::MD5" OBJECT;
    DIGEST_SHA1 "Digest::SHA1" OBJECT;
    DIGEST_SHA256 "Digest::SHA256" OBJECT;
    DIGEST_SHA512 "Digest::SHA512" OBJECT;
    BASE64 "Base64" OBJECT;
    FILE "File" OBJECT;
    MODULE "Module" OBJECT;
    CLASS "Class" MODULE;
    NIL "NilClass" OBJECT;
    TRUE "TrueClass" OBJECT;
    FALSE "FalseClass" OBJECT;
    NUMERIC "Numeric" OBJECT;
    INTEGER "Integer" NUMERIC;
    FLOAT "Float" NUMERIC;
    STRING "String" OBJECT;
    SYMBOL "Symbol" OBJECT;
    ARRAY "Array" OBJECT;
    HASH "Hash" OBJECT;
    RANGE "Range" OBJECT;
    REGEXP "Regexp" OBJECT;
    MATCH_DATA "MatchData" OBJECT;
    PROC "Proc" OBJECT;
    TIME "Time" OBJECT;
    ENUMERATOR "Enumerator" OBJECT;
    FOREIGN "Object" OBJECT;
    EXCEPTION "Exception" OBJECT;
    SCRIPT_ERROR "ScriptError" EXCEPTION;
    NOT_IMPLEMENTED_ERROR "NotImplementedError" SCRIPT_ERROR;
    SYSTEM_STACK_ERROR "SystemStackError" EXCEPTION;
    STANDARD_ERROR "StandardError" EXCEPTION;
    ARGUMENT_ERROR "ArgumentError" STANDARD_ERROR;
    UNCAUGHT_THROW_ERROR "UncaughtThrowError" ARGUMENT_ERROR;
    ENCODING_ERROR "EncodingError" STANDARD_ERROR;
    FIBER_ERROR "FiberError" STANDARD_ERROR;
    IO_ERROR "IOError" STANDARD_ERROR;
    INDEX_ERROR "IndexError" STANDARD_ERROR;
    KEY_ERROR "KeyError" INDEX_ERROR;
    STOP_ITERATION "StopIteration" INDEX_ERROR;
    LOCAL_JUMP_ERROR "LocalJumpError" STANDARD_ERROR;
    NAME_ERROR "NameError" STANDARD_ERROR;
    NO_METHOD_ERROR "NoMethodError" NAME_ERROR;
    RANGE_ERROR "RangeError" STANDARD_ERROR;
    FLOAT_DOMAIN_ERROR "FloatDomainError" RANGE_ERROR;
    REGEXP_ERROR "RegexpError" STANDARD_ERROR;
    RUNTIME_ERROR "RuntimeError" STANDARD_ERROR;
    FROZEN_ERROR "FrozenError" RUNTIME_ERROR;
    THREAD_ERROR "ThreadError" STANDARD_ERROR;
    TYPE_ERROR "TypeError" STANDARD_ERROR;
    ZERO_DIVISION_ERROR "ZeroDivisionError" STANDARD_ERROR;
    JSON_PARSER_ERROR "JSON::ParserError" STANDARD_ERROR;
    HOST_ERROR "StandardError" STANDARD_ERROR;
}

impl Class {
    /// Its name.
    pub fn name(self) -> &'static str {
        TABLE[usize::from(self.0)].name
    }

    /// The class it inherits from.
    pub fn parent(self) -> Option<Class> {
        let parent = TABLE[usize::from(self.0)].parent;
        (parent != self.0).then_some(Class(parent))
    }

    /// The class of a name such as `String`.
    pub(crate) fn find(name: &str) -> Option<Class> {
        let is_hidden = |class: Class| matches!(class, Class::FOREIGN | Class::HOST_ERROR);
        let all = (0..TABLE.len()).map(|i| Class(i as u8));
        all.filter(|class| !is_hidden(*class)).find(|class| class.name() == name)
    }

    /// Whether it is a module, not a class.
    pub(crate) fn is_module(self) -> bool {
        matches!(
            self,
            Class::KERNEL
                | Class::COMPARABLE
                | Class::ENUMERABLE
                | Class::MATH
                | Class::JSON
                | Class::YAML
                | Class::PSYCH
                | Class::SHELLWORDS
                | Class::ERB_UTIL
                | Class::DIGEST
                | Class::BASE64
        )
    }

    /// Whether it is the other class or inherits from it.
    pub fn is_a(self, other: Class) -> bool {
        let mut class = self;
        loop {
            if class == other || class.includes(other) {
                return true;
            }
            match class.parent() {
                Some(parent) => class = parent,
                None => return false,
            }
        }
    }

    fn includes(self, module: Class) -> bool {
        match module {
            Class::KERNEL => self == Class::OBJECT,
            Class::COMPARABLE => {
                matches!(self, Class::NUMERIC | Class::STRING | Class::TIME)
            }
            Class::ENUMERABLE => {
                matches!(self, Class::ARRAY | Class::HASH | Class::RANGE | Class::ENUMERATOR)
            }
            _ => false,
        }
    }
}

impl Class {
    /// Its number in the table.
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The number of classes.
    pub(crate) const COUNT: usize = TABLE.len();

    /// The class with this number.
    pub(crate) fn nth(index: usize) -> Class {
        Class(index as u8)
    }
}
