//! Types as text.

use std::fmt;

use super::ast::TypeNode;

impl fmt::Display for TypeNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List(item) => write!(f, "[]{item}"),
            Self::Map(key, value) => write!(f, "map{{{key}: {value}}}"),
            Self::Struct(fields) => {
                f.write_str("struct{")?;
                for (i, (name, ty)) in fields.iter().enumerate() {
                    let between = if i == 0 { "" } else { "; " };
                    write!(f, "{between}{name} {ty}")?;
                }
                f.write_str("}")
            }
            Self::Func(args, result) => {
                f.write_str("func(")?;
                for (i, (name, ty)) in args.iter().enumerate() {
                    f.write_str(if i == 0 { "" } else { ", " })?;
                    if let Some(name) = name {
                        write!(f, "{name} ")?;
                    }
                    write!(f, "{ty}")?;
                }
                write!(f, ") {result}")
            }
            other => f.write_str(other.kind()),
        }
    }
}
