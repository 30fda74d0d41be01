//! Predefined variables, and those of built-in modules.

use crate::value::Value;

/// A value that never changes.
enum Constant {
    Text(&'static str),
    Number(i64),
}

/// All constants by name.
const TABLE: [(&str, Constant); 22] = [
    ("purpleidea", Constant::Text("hello world!")),
    ("const.res.file.state.absent", Constant::Text("absent")),
    ("const.res.file.state.exists", Constant::Text("exists")),
    ("const.res.file.state.undefined", Constant::Text("")),
    ("const.res.gzip.level.no_compression", Constant::Number(0)),
    ("const.res.gzip.level.best_speed", Constant::Number(1)),
    ("const.res.gzip.level.best_compression", Constant::Number(9)),
    ("const.res.gzip.level.default_compression", Constant::Number(-1)),
    ("const.res.gzip.level.huffman_only", Constant::Number(-2)),
    ("const.res.tar.format.unknown", Constant::Number(0)),
    ("const.res.tar.format.ustar", Constant::Number(2)),
    ("const.res.tar.format.pax", Constant::Number(4)),
    ("const.res.tar.format.gnu", Constant::Number(8)),
    ("const.res.firewalld.state.exists", Constant::Text("exists")),
    ("const.res.firewalld.state.absent", Constant::Text("absent")),
    ("const.res.firewalld.state.undefined", Constant::Text("")),
    ("const.res.net.state.undefined", Constant::Text("")),
    ("const.res.net.state.up", Constant::Text("up")),
    ("const.res.net.state.down", Constant::Text("down")),
    ("os.family_redhat", Constant::Text("redhat")),
    ("os.family_debian", Constant::Text("debian")),
    ("os.family_archlinux", Constant::Text("archlinux")),
];

/// The value of a constant.
pub fn value(name: &str) -> Option<Value> {
    let (_, constant) = TABLE.iter().find(|(known, _)| *known == name)?;
    Some(match constant {
        Constant::Text(text) => (*text).into(),
        Constant::Number(number) => Value::Int(*number),
    })
}

/// The names of the constants with this prefix, without it.
pub(super) fn names(prefix: &str) -> impl Iterator<Item = &'static str> {
    TABLE.iter().filter_map(move |(name, _)| name.strip_prefix(prefix))
}

/// Whether a module has constants.
pub fn is_module(path: &str) -> bool {
    path == "os"
}
