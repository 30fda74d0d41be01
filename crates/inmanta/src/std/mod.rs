//! The model of the module `std`.

/// The version of the original module.
pub const VERSION: &str = "8.7.5";

/// The files of the module: namespace, name in messages, text.
pub const FILES: [(&str, &str, &str); 2] = [
    ("std", "std/model/_init.cf", include_str!("init.cf")),
    ("std::testing", "std/model/testing.cf", include_str!("testing.cf")),
];

/// The text of a file of the module.
pub fn file(namespace: &str) -> Option<(&'static str, &'static str)> {
    FILES.iter().find(|(name, ..)| *name == namespace).map(|(_, file, text)| (*file, *text))
}
