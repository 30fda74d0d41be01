//! Functions for files of modules and of the project, templates, and passwords.

use std::path::{Path, PathBuf};

use ordain_source::world::EntryKind;

use super::entry::{Entry, Outcome, integer, plain, string};
use crate::diagnostics::Exception;
use crate::model::plugin::{Arguments, Context, Stop};
use crate::template;
use crate::value::Value;

pub(super) const TABLE: &[Entry] = &[
    plain("template", "path: string, **kwargs: any", "string", render).context(),
    plain("source", "path: string", "string", source).context(),
    plain("file", "path: string", "string", file).context(),
    plain("list_files", "path: string", "list", list_files).context(),
    plain("generate_password", "pw_id: string, length: int = 20", "string", generate_password)
        .context(),
    plain("password", "pw_id: string", "string", password).context(),
];

/// The prefix of texts that refer to a file.
const FILE_MARKER: &str = "imp-module-source:file://";
/// The limit for the length of generated passwords.
const MAX_PASSWORD_LENGTH: i64 = 1 << 16;

fn exception(text: String) -> Stop {
    Stop::raised(Exception::Exception, text)
}

/// Resolves a path. Its first part is a module, or empty for the project.
fn locate(context: &dyn Context, folder: &str, path: &str) -> Result<PathBuf, Stop> {
    let path = template::module_path(context, path)?;
    let (module, rest) = path.split_once('/').unwrap_or((&path, ""));
    let root = match module {
        "" => context.project_directory(),
        _ => context
            .module_directory(module)
            .ok_or_else(|| exception(format!("Module {module} does not exist for path {path}")))?,
    };
    Ok(root.join(folder).join(rest))
}

fn existing(context: &dyn Context, folder: &str, path: &str) -> Result<PathBuf, (PathBuf, Stop)> {
    let found = locate(context, folder, path).map_err(|stop| (PathBuf::new(), stop))?;
    match context.world().kind(&found) {
        Some(EntryKind::File) => Ok(found),
        _ => {
            let text = format!("{path} isn't a valid file ({})", found.display());
            Err((found, exception(text)))
        }
    }
}

fn read_text(context: &dyn Context, path: &Path) -> Result<String, Stop> {
    let bytes = context.world().read(path).map_err(|error| {
        Stop::raised(Exception::OSError, format!("{error}: '{}'", path.display()))
    })?;
    String::from_utf8(bytes)
        .map(|text| text.replace("\r\n", "\n").replace('\r', "\n"))
        .map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let byte = error.as_bytes().get(at).copied().unwrap_or_default();
            Stop::raised(
                Exception::UnicodeDecodeError,
                format!(
                    "'utf-8' codec can't decode byte 0x{byte:02x} in position {at}: invalid start byte"
                ),
            )
        })
}

fn source(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let path = existing(context, "files", string(arguments, 0)).map_err(|(_, stop)| stop)?;
    read_text(context, &path).map(Value::str)
}

fn file(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let path =
        existing(context, "files", string(arguments, 0)).map_err(|(path, stop)| {
            match path.as_os_str().is_empty() {
                true => stop,
                false => exception(format!("{} isn't a valid file", path.display())),
            }
        })?;
    let full = std::path::absolute(&path).unwrap_or(path);
    Ok(Value::str(format!("{FILE_MARKER}{}", full.display())))
}

fn list_files(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let path = locate(context, "files", string(arguments, 0))?;
    let entries = context.world().list(&path).map_err(|_| {
        Stop::raised(
            Exception::FileNotFoundError,
            format!("[Errno 2] No such file or directory: '{}'", path.display()),
        )
    })?;
    let files = entries.into_iter().filter(|(_, kind)| *kind == EntryKind::File);
    Ok(Value::list(files.map(|(name, _)| Value::str(name))))
}

fn render(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    template::render(context, string(arguments, 0), &arguments.keywords).map(Value::str)
}

/// Passwords by their ids.
type Passwords = Vec<(String, String)>;

fn password_file(context: &dyn Context) -> PathBuf {
    context.project_directory().join("data").join("std").join("passwordfile.txt")
}

fn passwords(context: &dyn Context, path: &Path) -> Passwords {
    let Ok(bytes) = context.world().read(path) else { return Vec::new() };
    let text = String::from_utf8_lossy(&bytes);
    text.lines()
        .map(str::trim)
        .filter(|line| line.len() > 2)
        .filter_map(|line| line.split_once('='))
        .map(|(id, password)| (id.trim().to_owned(), password.trim().to_owned()))
        .collect()
}

fn known_password(
    context: &mut dyn Context,
    id: &str,
) -> Result<(PathBuf, Passwords, Option<Value>), Stop> {
    if id.contains('=') {
        return Err(exception("The password id cannot contain =".into()));
    }
    let path = password_file(context);
    let known = passwords(context, &path);
    let found = known.iter().rev().find(|(other, _)| other == id).map(|(_, p)| p.clone());
    found.iter().for_each(|password| context.secret(password));
    Ok((path, known, found.map(Value::str)))
}

fn password(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    let id = string(arguments, 0);
    let (path, _, found) = known_password(context, id)?;
    found.ok_or_else(|| {
        exception(format!("Password {id} does not exist in file {}", path.display()))
    })
}

fn generate_password(context: &mut dyn Context, arguments: &Arguments) -> Outcome {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let id = string(arguments, 0);
    let (path, mut known, found) = known_password(context, id)?;
    if let Some(found) = found {
        return Ok(found);
    }
    let length = integer(arguments, 1);
    if length > MAX_PASSWORD_LENGTH {
        return Err(Stop::raised(Exception::MemoryError, ""));
    }
    let mut password = String::new();
    while (password.len() as i64) < length {
        // Values beyond the alphabet are dropped, so that all letters are equally likely.
        for byte in context.world().random().to_le_bytes() {
            if let Some(&letter) = LETTERS.get(usize::from(byte & 63))
                && (password.len() as i64) < length
            {
                password.push(char::from(letter));
            }
        }
    }
    context.secret(&password);
    known.push((id.to_owned(), password.clone()));
    let text: String = known.iter().map(|(id, password)| format!("{id}={password}\n")).collect();
    let world = context.world();
    let written = match path.parent() {
        Some(folder) => world.make_directory(folder, 0o755),
        None => Ok(()),
    };
    written.and_then(|()| world.write(&path, text.as_bytes(), 0o600)).map_err(|error| {
        Stop::raised(Exception::OSError, format!("{error}: '{}'", path.display()))
    })?;
    Ok(Value::str(password))
}
