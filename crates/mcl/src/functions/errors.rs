//! Errors of the operating system with the messages of Go.

/// The message of Go for an error of the system.
pub(in crate::functions) fn go_error(action: &str, path: &str, error: &std::io::Error) -> String {
    let reason = match error.kind() {
        std::io::ErrorKind::NotFound => "no such file or directory".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        std::io::ErrorKind::IsADirectory => "is a directory".into(),
        std::io::ErrorKind::NotADirectory => "not a directory".into(),
        _ => error.to_string(),
    };
    format!("{action} {path}: {reason}")
}
