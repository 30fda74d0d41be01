//! Files and directories, by inotify.
//!
//! Directories are watched: the parent of a path and all above it, because each of them may be
//! renamed, removed or created later. They form a tree of names ([`Node`]) in which keys wait at
//! their paths. An event of a name wakes the keys at that name and, when a directory comes or goes,
//! all keys below it.

use std::ffi::{OsStr, OsString};
use std::hash::Hash;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

/// Events of names in a directory that only leads to a watched path.
const STRUCTURE: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::MASK_ADD);

/// Events of names in a directory that holds a watched path.
const EVENTS: WatchFlags =
    STRUCTURE.union(WatchFlags::ATTRIB).union(WatchFlags::MODIFY).union(WatchFlags::CLOSE_WRITE);

/// Events after which a name refers to another file.
const REPLACING: ReadFlags = ReadFlags::CREATE
    .union(ReadFlags::DELETE)
    .union(ReadFlags::MOVED_FROM)
    .union(ReadFlags::MOVED_TO);

/// The root of the tree of names.
const ROOT: u32 = 0;

/// A name in a directory.
struct Node<K> {
    parent: u32,
    name: OsString,
    children: FxHashMap<OsString, u32>,
    /// The kernel's watch, if it is a directory.
    watch: Option<i32>,
    /// Whether it reports all events of the names in it.
    is_full: bool,
    /// The keys that wait for it.
    keys: FxHashSet<K>,
    /// The keys that wait for it and everything below.
    tree_keys: FxHashSet<K>,
}

impl<K> Node<K> {
    fn new(parent: u32, name: &OsStr) -> Self {
        Self {
            parent,
            name: name.to_owned(),
            children: FxHashMap::default(),
            watch: None,
            is_full: false,
            keys: FxHashSet::default(),
            tree_keys: FxHashSet::default(),
        }
    }
}

/// The paths that are watched.
pub struct Paths<K> {
    inotify: OwnedFd,
    nodes: Vec<Option<Node<K>>>,
    free: Vec<u32>,
    /// The nodes of each kernel watch: several names may lead to one directory.
    by_watch: FxHashMap<i32, Vec<u32>>,
    by_key: FxHashMap<K, Vec<u32>>,
}

impl<K: Copy + Eq + Hash + Ord> Paths<K> {
    /// Starts without watches.
    ///
    /// # Errors
    /// When the kernel refuses an inotify instance.
    pub fn new() -> io::Result<Self> {
        let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let nodes = vec![Some(Node::new(ROOT, OsStr::new("/")))];
        Ok(Self {
            inotify,
            nodes,
            free: Vec::new(),
            by_watch: FxHashMap::default(),
            by_key: FxHashMap::default(),
        })
    }

    /// Watches a path for a key, and with `deep` everything below it.
    ///
    /// # Errors
    /// When the kernel refuses more watches.
    pub fn add(&mut self, path: &Path, deep: bool, key: K) -> io::Result<()> {
        let mut at = ROOT;
        for component in std::path::absolute(path)?.components() {
            match component {
                Component::Normal(name) => at = self.child(at, name),
                Component::ParentDir => at = self.node(at).parent,
                Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
            }
        }
        let node = self.node_mut(at);
        node.keys.insert(key);
        if deep {
            node.tree_keys.insert(key);
        }
        self.by_key.entry(key).or_default().push(at);
        self.cover(at)
    }

    /// Whether only the root is left.
    #[cfg(test)]
    pub(super) fn is_at_rest(&self) -> bool {
        self.nodes.iter().flatten().count() == 1 && self.by_key.is_empty()
    }

    /// Removes and returns the places of a key.
    pub(super) fn take(&mut self, key: K) -> Vec<u32> {
        self.by_key.remove(&key).unwrap_or_default()
    }

    /// Ends the watches at these places, unless the key has taken them again.
    pub(super) fn release(&mut self, places: &[u32], key: K) {
        let kept: FxHashSet<u32> = self.by_key.get(&key).into_iter().flatten().copied().collect();
        for &at in places.iter().filter(|at| !kept.contains(at)) {
            let Some(Some(node)) = self.nodes.get_mut(at as usize) else { continue };
            node.keys.remove(&key);
            let was_deep = node.tree_keys.remove(&key);
            if was_deep && self.node(at).tree_keys.is_empty() {
                self.drop_found_below(at);
            }
            self.prune(at);
        }
    }

    /// Adds all keys that wait for an event that occurred.
    pub(super) fn take_events(&mut self, touched: &mut FxHashSet<K>) -> io::Result<()> {
        for event in self.read()? {
            if event.flags.contains(ReadFlags::QUEUE_OVERFLOW) {
                self.lost_events(touched);
                continue;
            }
            let nodes = self.by_watch.get(&event.watch).cloned().unwrap_or_default();
            if event.flags.contains(ReadFlags::IGNORED) {
                self.forget_watch(event.watch);
            }
            for at in nodes {
                self.happened(at, &event, touched);
            }
        }
        Ok(())
    }

    /// All pending events of the kernel in order, without consecutive repetitions.
    fn read(&self) -> io::Result<Vec<Event>> {
        let mut events: Vec<Event> = Vec::new();
        let mut buffer = [MaybeUninit::uninit(); 16 * 1024];
        let mut reader = Reader::new(&self.inotify, &mut buffer);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::AGAIN) => return Ok(events),
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            };
            let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()).to_owned());
            let event = Event { watch: event.wd(), flags: event.events(), name };
            if events.last() != Some(&event) {
                events.push(event);
            }
        }
    }

    fn happened(&mut self, at: u32, event: &Event, touched: &mut FxHashSet<K>) {
        let Some(Some(node)) = self.nodes.get(at as usize) else { return };
        let Some(name) = &event.name else {
            let gone = ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::UNMOUNT;
            if event.flags.intersects(gone | ReadFlags::IGNORED) {
                self.replaced(at, touched);
            } else {
                self.touch(at, touched);
            }
            return;
        };
        let child = node.children.get(name).copied();
        let replaced = event.flags.intersects(REPLACING);
        match child {
            Some(child) if replaced => self.replaced(child, touched),
            Some(child) => self.touch(child, touched),
            None => self.touch_trees(at, touched),
        }
        let is_new = event.flags.intersects(ReadFlags::CREATE | ReadFlags::MOVED_TO);
        if child.is_none() && is_new && event.flags.contains(ReadFlags::ISDIR) && self.is_deep(at) {
            let found = self.child(at, name);
            // Without the watch the sweep finds changes there.
            let _ = self.cover_tree(found);
        }
    }

    /// Notifies the watches that wait for a name.
    fn touch(&self, at: u32, touched: &mut FxHashSet<K>) {
        touched.extend(&self.node(at).keys);
        self.touch_trees(at, touched);
    }

    /// Adds the keys that watch a directory at or above this node recursively.
    fn touch_trees(&self, mut at: u32, touched: &mut FxHashSet<K>) {
        loop {
            let node = self.node(at);
            touched.extend(&node.tree_keys);
            if at == ROOT {
                return;
            }
            at = node.parent;
        }
    }

    /// Handles a replaced or removed name: notifies all watches there and below, and watches the
    /// new file.
    fn replaced(&mut self, at: u32, touched: &mut FxHashSet<K>) {
        self.touch(at, touched);
        let mut waiting = Vec::new();
        let mut rest = vec![at];
        while let Some(at) = rest.pop() {
            self.end_watch(at);
            let node = self.node(at);
            touched.extend(&node.keys);
            if !node.keys.is_empty() {
                waiting.push(at);
            }
            rest.extend(node.children.values());
        }
        for at in waiting {
            // Without the watch the sweep finds changes there.
            let _ = self.cover(at);
        }
        if self.is_deep(at) {
            let _ = self.cover_tree(at);
        }
        self.prune(at);
    }

    /// Handles lost events: everything may have changed.
    fn lost_events(&mut self, touched: &mut FxHashSet<K>) {
        self.replaced(ROOT, touched);
    }

    /// Whether a key watches a directory at or above this node recursively.
    fn is_deep(&self, mut at: u32) -> bool {
        loop {
            let node = self.node(at);
            if !node.tree_keys.is_empty() {
                return true;
            }
            if at == ROOT {
                return false;
            }
            at = node.parent;
        }
    }

    /// Watches the existing directories above a node, and its content if a key watches it.
    fn cover(&mut self, at: u32) -> io::Result<()> {
        let mut above = Vec::new();
        let mut up = at;
        while up != ROOT {
            up = self.node(up).parent;
            above.push(up);
        }
        for dir in above.into_iter().rev() {
            match self.watch(dir, dir == self.node(at).parent)? {
                DirectoryState::Watched => {}
                DirectoryState::Nothing => return Ok(()),
                // Of the directories above, only those that lead to the path need events.
                DirectoryState::Closed if dir != self.node(at).parent => {}
                DirectoryState::Closed => return Err(Errno::ACCESS.into()),
            }
        }
        if self.node(at).tree_keys.is_empty() { Ok(()) } else { self.cover_tree(at) }
    }

    /// Watches a directory and all directories below.
    fn cover_tree(&mut self, at: u32) -> io::Result<()> {
        let mut rest = vec![at];
        while let Some(at) = rest.pop() {
            // A link to a directory is not the directory.
            let path = self.path(at);
            let is_dir = std::fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_dir());
            if !is_dir || self.watch(at, true)? == DirectoryState::Nothing {
                continue;
            }
            let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
            for entry in entries.filter(|e| e.file_type().is_ok_and(|kind| kind.is_dir())) {
                rest.push(self.child(at, &entry.file_name()));
            }
        }
        Ok(())
    }

    /// Watches a directory, unless it is watched already; with `full`, everything in it.
    fn watch(&mut self, at: u32, full: bool) -> io::Result<DirectoryState> {
        let node = self.node(at);
        if node.watch.is_some() && (node.is_full || !full) {
            return Ok(DirectoryState::Watched);
        }
        let events = if full { EVENTS } else { STRUCTURE };
        let watch = match inotify::add_watch(&self.inotify, self.path(at), events) {
            Ok(watch) => watch,
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(DirectoryState::Nothing),
            Err(Errno::ACCESS) => return Ok(DirectoryState::Closed),
            Err(error) => return Err(error.into()),
        };
        let node = self.node_mut(at);
        node.is_full |= full;
        let before = node.watch.replace(watch);
        if before != Some(watch) {
            self.by_watch.entry(watch).or_default().push(at);
        }
        Ok(DirectoryState::Watched)
    }

    /// Ends the watch of a node, unless another name leads to the same directory.
    fn end_watch(&mut self, at: u32) {
        let node = self.node_mut(at);
        node.is_full = false;
        let Some(watch) = node.watch.take() else { return };
        let Some(nodes) = self.by_watch.get_mut(&watch) else { return };
        nodes.retain(|&other| other != at);
        if nodes.is_empty() {
            self.by_watch.remove(&watch);
            // The kernel has already ended it if the directory is removed.
            let _ = inotify::remove_watch(&self.inotify, watch);
        }
    }

    /// The kernel has ended a watch.
    fn forget_watch(&mut self, watch: i32) {
        for at in self.by_watch.remove(&watch).unwrap_or_default() {
            let node = self.node_mut(at);
            (node.watch, node.is_full) = (None, false);
        }
    }

    /// Drops the nodes below a directory that exist only for recursive watches.
    fn drop_found_below(&mut self, at: u32) {
        if self.is_deep(at) {
            return;
        }
        let mut order = vec![at];
        let mut done = 0;
        while done < order.len() {
            order.extend(self.node(order[done]).children.values().copied());
            done += 1;
        }
        for at in order.into_iter().rev() {
            self.prune(at);
        }
    }

    /// Removes a node that nobody needs, and the nodes above that only it needed. The directories
    /// above stay watched while something is below them.
    fn prune(&mut self, mut at: u32) {
        while at != ROOT {
            let Some(Some(node)) = self.nodes.get(at as usize) else { return };
            let needed = !node.keys.is_empty() || !node.children.is_empty();
            if needed || node.watch.is_some() && self.is_deep(at) {
                return;
            }
            self.end_watch(at);
            let Some(node) = self.nodes[at as usize].take() else { return };
            self.free.push(at);
            self.node_mut(node.parent).children.remove(&node.name);
            at = node.parent;
        }
    }

    fn child(&mut self, at: u32, name: &OsStr) -> u32 {
        if let Some(&child) = self.node(at).children.get(name) {
            return child;
        }
        let node = Some(Node::new(at, name));
        let child = match self.free.pop() {
            Some(free) => {
                self.nodes[free as usize] = node;
                free
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        };
        self.node_mut(at).children.insert(name.to_owned(), child);
        child
    }

    fn path(&self, mut at: u32) -> PathBuf {
        let mut names = Vec::new();
        while at != ROOT {
            let node = self.node(at);
            names.push(node.name.as_os_str());
            at = node.parent;
        }
        std::iter::once(OsStr::new("/")).chain(names.into_iter().rev()).collect()
    }

    #[expect(clippy::expect_used, reason = "ids are those of nodes that exist")]
    fn node(&self, at: u32) -> &Node<K> {
        self.nodes[at as usize].as_ref().expect("ids come from nodes that are there")
    }

    #[expect(clippy::expect_used, reason = "ids are those of nodes that exist")]
    fn node_mut(&mut self, at: u32) -> &mut Node<K> {
        self.nodes[at as usize].as_mut().expect("ids come from nodes that are there")
    }
}

impl<K> AsFd for Paths<K> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inotify.as_fd()
    }
}

/// The state of a directory that is to be watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum DirectoryState {
    /// A directory, which is watched now.
    Watched,
    /// A directory that this process may not read.
    Closed,
    /// No directory.
    Nothing,
}

/// An event of the kernel.
#[derive(PartialEq, Eq, Debug)]
struct Event {
    watch: i32,
    flags: ReadFlags,
    name: Option<OsString>,
}
