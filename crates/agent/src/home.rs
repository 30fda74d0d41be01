//! The files of an agent: its certificate, the last graph, the key that encrypts the graph.

use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use ordain_fleet_store::StoreKey;
use serde::{Deserialize, Serialize};

use crate::error::AgentError;
use crate::protocol::Head;

/// The maximum length of a graph with its list of files, in bytes.
pub(crate) const MAX_GRAPH: u64 = 256 << 20;
/// The name that the encrypted graph is bound to.
const GRAPH: &[u8] = b"the graph of an agent";
/// The name of the key among the credentials that systemd passes on.
const CREDENTIAL: &str = "ordain-agent.key";

/// The directory of an agent, and its key.
#[derive(Debug)]
pub struct Home {
    dir: PathBuf,
    key: StoreKey,
}

/// The last graph that was verified.
#[derive(Clone, Debug)]
pub struct StoredGraph {
    /// The signed head.
    pub head: Head,
    /// The graph and the list of its files.
    pub body: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct SealedHead {
    version: u64,
    head: Head,
}

impl Home {
    /// Opens the directory of an agent; a missing one is created with mode 0700. The key that encrypts
    /// the graph is the systemd credential `ordain-agent.key` if there is one, else the file, which
    /// is created if it is missing.
    ///
    /// # Errors
    /// When the directory cannot be used, or others may read the key.
    pub fn open(dir: &Path, key_file: &Path) -> Result<Self, AgentError> {
        make_private(dir)?;
        let credentials = std::env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from);
        let credential = credentials.map(|dir| dir.join(CREDENTIAL)).filter(|path| path.exists());
        let path = credential.unwrap_or_else(|| key_file.to_path_buf());
        if let Some(parent) = path.parent().filter(|parent| !parent.exists()) {
            make_private(parent)?;
        }
        let key = StoreKey::open(&path)?;
        Ok(Self { dir: dir.to_path_buf(), key })
    }

    /// A path below the directory.
    pub fn path(&self, below: &str) -> PathBuf {
        self.dir.join(below)
    }

    /// Stores a verified graph, encrypted.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn store(&self, graph: &StoredGraph) -> Result<(), AgentError> {
        let path = self.path("graph.sealed");
        let head = SealedHead { version: 1, head: graph.head.clone() };
        let mut text =
            serde_json::to_vec(&head).map_err(|error| AgentError::damaged(&path, error))?;
        text.push(b'\n');
        text.extend_from_slice(&graph.body);
        let encrypted = self.key.encrypt(GRAPH, &text)?;
        write_private(&path, &encrypted)
    }

    /// The stored graph of a node. `None` if there is none.
    ///
    /// # Errors
    /// When it cannot be read, was encrypted with another key or changed, or is that of another node.
    pub fn stored(&self, certname: &str) -> Result<Option<StoredGraph>, AgentError> {
        let path = self.path("graph.sealed");
        let Some(encrypted) = read_limited(&path, MAX_GRAPH + (1 << 20))? else { return Ok(None) };
        let text = self.key.decrypt(GRAPH, &encrypted).ok_or_else(|| {
            AgentError::damaged(&path, "it was changed, or encrypted with another key")
        })?;
        let end = text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len());
        let (head, body) = text.split_at(end);
        let head: SealedHead =
            serde_json::from_slice(head).map_err(|error| AgentError::damaged(&path, error))?;
        if head.head.certname != certname {
            // The machine may be a copy of that node.
            let reason = format!("it is the graph of {}, not of {certname}", head.head.certname);
            return Err(AgentError::damaged(&path, reason));
        }
        Ok(Some(StoredGraph { head: head.head, body: body.get(1..).unwrap_or_default().to_vec() }))
    }
}

/// Makes a directory that only its owner can read.
pub(crate) fn make_private(dir: &Path) -> Result<(), AgentError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(dir).map_err(AgentError::file(dir))
}

/// Writes a file that only its owner can read, whole or not at all.
pub(crate) fn write_private(path: &Path, content: &[u8]) -> Result<(), AgentError> {
    let parent = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    let write = || {
        let mut file = tempfile::NamedTempFile::new_in(parent)?;
        file.write_all(content)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        std::fs::File::open(parent)?.sync_all()
    };
    write().map_err(AgentError::file(path))
}

/// Reads a file of limited length. `None` if it does not exist.
pub(crate) fn read_limited(path: &Path, most: u64) -> Result<Option<Vec<u8>>, AgentError> {
    let length = match std::fs::metadata(path) {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(AgentError::file(path)(error)),
    };
    if length > most {
        return Err(AgentError::damaged(path, format!("it is longer than {most} bytes")));
    }
    std::fs::read(path).map(Some).map_err(AgentError::file(path))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::protocol::body_digest;

    fn graph(certname: &str) -> StoredGraph {
        let body = b"{\"password\":\"hunter2\"}\n{}".to_vec();
        let head = Head {
            certname: certname.into(),
            environment: "production".into(),
            nonce: "n".into(),
            issued: jiff::Timestamp::now().to_string(),
            code_id: "1".into(),
            state: "1".into(),
            digest: body_digest(&body),
            has_body: true,
        };
        StoredGraph { head, body }
    }

    #[test]
    fn the_graph_is_sealed_and_belongs_to_one_node() {
        let dir = tempfile::tempdir().unwrap();
        let (state, key) = (dir.path().join("agent"), dir.path().join("keys/agent.key"));
        let home = Home::open(&state, &key).unwrap();
        assert!(home.stored("web.example.org").unwrap().is_none());
        home.store(&graph("web.example.org")).unwrap();

        let path = home.path("graph.sealed");
        let bytes = std::fs::read(&path).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("hunter2"));
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);

        let again = Home::open(&state, &key).unwrap();
        let found = again.stored("web.example.org").unwrap().unwrap();
        assert_eq!(found.body, graph("web.example.org").body);
        let error = again.stored("db.example.org").unwrap_err().to_string();
        assert!(error.ends_with("it is the graph of web.example.org, not of db.example.org"));

        let other = Home::open(&state, &dir.path().join("other.key")).unwrap();
        let error = other.stored("web.example.org").unwrap_err().to_string();
        assert!(error.ends_with("it was changed, or encrypted with another key"), "{error}");
    }
}
