//! Files and archives.

use crate::form::Form;
use crate::language::{PROVIDER, entity, field, mcl, named, only, puppet};
use crate::schema::{KindSchema, any, boolean, bytes, choice, integer, list, text};

/// The kinds of this table.
pub(crate) const KINDS: &[&KindSchema] =
    &[&FILE, &AUGEAS, &TIDY, &MGMT_LINE, &MGMT_JSON_EDIT, &MGMT_GZIP, &MGMT_TAR, &MGMT_DEPLOY_TAR];

/// `file`.
pub static FILE: KindSchema = KindSchema::new(
    "file",
    "Manages files, directories and links",
    &[
        text("path", "The absolute path"),
        text("ensure", "absent (or false), present, file, directory, link, or where a link leads"),
        any("backup", "Backup of replaced content: false, `.suffix`, a bucket"),
        text("checksum", "The comparison of content: sha256 (default), md5, mtime, …")
            .default_value("sha256"),
        text("checksum_value", "The required digest of the content"),
        bytes("content", "The content: text or binary").form(Form::Text),
        boolean("force", "Whether directories are removed or replaced").form(Form::YES_NO),
        list("fragments", "Files whose contents are concatenated").not_in_puppet(),
        text("group", "The group, by name or number"),
        list("ignore", "Patterns of names that a recursion ignores"),
        choice("links", &["follow", "manage"], "manage (default) links themselves, or follow them")
            .default_value("manage"),
        integer("max_files", "The maximum number of files of a recursion; 0 only warns of many")
            .form(Form::Integer),
        text("mode", "The mode as text: octal, or symbolic such as `u=rw,g+X`").form(Form::Mode),
        text("owner", "The owner, by name or number"),
        boolean("purge", "Whether a recursion removes unmanaged files").form(Form::YES_NO),
        any("recurse", "Whether files below are managed: true, false, remote")
            .form(Form::Words(&["true", "false", "remote"])),
        boolean("must_exist", "Whether a missing path is an error; false by default")
            .default_value("false")
            .not_in_puppet(),
        boolean("parents", "Whether missing parent directories are created; false by default")
            .default_value("false")
            .not_in_puppet(),
        integer("recurselimit", "The maximum depth of a recursion").form(Form::Digits),
        boolean(
            "remove_empty",
            "Whether an empty directory is removed without force; false by default",
        )
        .default_value("false")
        .not_in_puppet(),
        boolean("replace", "Whether existing content is replaced; true by default")
            .default_value("true")
            .form(Form::YES_NO),
        boolean(
            "selinux_ignore_defaults",
            "Whether undeclared parts of the context stay; otherwise they come from the policy; false",
        ),
        text("selrange", "The range of the SELinux context, such as s0"),
        text("selrole", "The role of the SELinux context"),
        text("seltype", "The type of the SELinux context, such as etc_t"),
        text("seluser", "The user of the SELinux context; ignored if SELinux is off"),
        boolean("show_diff", "Whether differences of content are shown").form(Form::YES_NO),
        list("source", "The sources of the content; the first that exists is used").form(Form::Source),
        choice(
            "source_permissions",
            &["use", "use_when_creating", "ignore"],
            "ignore (default), use, use_when_creating",
        )
        .default_value("ignore"),
        choice("sourceselect", &["first", "all"], "first (default), or all sources of a recursion")
            .default_value("first"),
        text(
            "staging_location",
            "Accepted; new content is always staged next to the file, so that the rename is atomic",
        ),
        text("target", "Where a link leads"),
        text("validate_cmd", "A command that must accept the new content; % is its path"),
        text("validate_replacement", "The placeholder of the new file; %"),
    ],
)
.puppet(puppet("file").core().own(&[only("type"), only("ctime"), only("mtime"), PROVIDER]))
.mcl(&[mcl("file")
    .traits(&["edgeable", "graph-queryable", "recvable", "reversible"])
    .receives(&["content", "group", "mode", "owner"])
    .fields(&[
        named("path", "str", "Path").sets("path"),
        named("dirname", "str", "Dirname"),
        named("basename", "str", "Basename"),
        named("state", "str", "State").words(&["exists", "absent", "undefined"]).sets("ensure"),
        named("content", "str", "Content").optional().sets("content"),
        named("source", "str", "Source").sets("source"),
        named("fragments", "[]str", "Fragments").sets("fragments"),
        named("owner", "str", "Owner").sets("owner"),
        named("group", "str", "Group").sets("group"),
        named("mode", "str", "Mode").sets("mode"),
        named("recurse", "bool", "Recurse").sets("recurse"),
        named("force", "bool", "Force").sets("force"),
        named("purge", "bool", "Purge").sets("purge"),
        named("symlink", "bool", "Symlink"),
        named("selinux", "str", "SELinux").optional(),
    ])])
.inmanta(&[
    entity(
        "fs::File",
        &[
            ("purged", "ensure"),
            ("owner", "owner"),
            ("group", "group"),
            ("mode", "mode"),
            ("content", "content"),
        ],
    )
    .constants(&[("ensure", "file")]),
    entity(
        "fs::Directory",
        &[("purged", "ensure"), ("owner", "owner"), ("group", "group"), ("mode", "mode")],
    )
    .constants(&[("ensure", "directory")]),
    entity("fs::Symlink", &[("purged", "ensure"), ("src", "target")])
        .constants(&[("ensure", "link")]),
    entity(
        "files::TextFile",
        &[
            ("purged", "ensure"),
            ("owner", "owner"),
            ("group", "group"),
            ("permissions", "mode"),
            ("content", "content"),
        ],
    )
    .constants(&[("ensure", "file")]),
    entity(
        "files::SystemdUnitFile",
        &[
            ("purged", "ensure"),
            ("owner", "owner"),
            ("group", "group"),
            ("permissions", "mode"),
            ("content", "content"),
        ],
    )
    .constants(&[("ensure", "file")]),
    entity(
        "files::Directory",
        &[("purged", "ensure"), ("owner", "owner"), ("group", "group"), ("permissions", "mode")],
    )
    .constants(&[("ensure", "directory")]),
    entity("files::Symlink", &[("purged", "ensure"), ("target", "target")])
        .constants(&[("ensure", "link")]),
])
.comes_after(&["file", "filebucket", "group", "user"]).in_root("below the root; `validate_cmd` runs inside; `source` is below the root unless it is in a module");

/// `augeas`.
pub static AUGEAS: KindSchema = KindSchema::new(
    "augeas",
    "Edits files by the lenses of Augeas",
    &[
        text("name", "A name for it"),
        list("changes", "Commands such as `set PATH VALUE`, as a list or one per line"),
        text("context", "The path before relative paths; of the file of `incl` by default"),
        text("onlyif", "A test of the tree, such as `match PATH size > 0`"),
        text("root", "The directory below which files are loaded; `/` by default")
            .default_value("/"),
        text("lens", "The lens of the file of `incl`, such as `Hosts.lns`"),
        text("incl", "The only file to load"),
        boolean("force", "Whether it runs even if nothing changes; false by default")
            .form(Form::YES_NO)
            .default_value("false"),
        list("load_path", "Directories with further lenses, as a list or with colons between"),
        boolean("type_check", "Whether lenses are type-checked; false by default")
            .form(Form::TRUE_FALSE)
            .default_value("false"),
        boolean("show_diff", "Whether differences of content are shown; true by default")
            .form(Form::YES_NO)
            .default_value("true"),
        integer("returns", "The expected result; only 0").form(Form::Digits),
    ],
)
.puppet(puppet("augeas").own(&[PROVIDER]))
.in_root("augtool runs inside; `root` is below the root");

/// `tidy`.
pub static TIDY: KindSchema = KindSchema::new(
    "tidy",
    "Removes files that are too old or too large",
    &[
        text("path", "The absolute path"),
        text("age", "The minimum age, such as `1w`; in days without a unit"),
        any("backup", "Backup of removed content, as for a file"),
        list("matches", "Patterns for names; only matching files are removed"),
        integer("max_files", "Fails if there are more files; 0 means no limit").form(Form::Digits),
        any("recurse", "true, false (default), or how deep").default_value("false"),
        boolean("rmdirs", "Whether empty directories are removed").form(Form::YES_NO),
        text("size", "The minimum size, such as `2m`; in kilobytes without a unit"),
        choice(
            "type",
            &["atime", "mtime", "ctime"],
            "The time from which age is counted: atime (default), mtime, ctime",
        )
        .default_value("atime"),
    ],
)
.puppet(puppet("tidy").core().not_isomorphic())
.in_root("below the root");

/// `mgmt::line`.
pub static MGMT_LINE: KindSchema = KindSchema::new(
    "mgmt::line",
    "Manages lines of a file",
    &[
        text("name", "A name for it"),
        text("content", "The line, or several consecutive ones"),
        choice("ensure", &["present", "absent"], "present (default) or absent")
            .default_value("present"),
        text("file", "The absolute path of the file"),
    ],
)
.mcl(&[mcl("line").fields(&[
    named("file", "str", "File").sets("file"),
    named("state", "str", "State").words(&["exists", "absent"]).sets("ensure"),
    named("content", "str", "Content").sets("content"),
    named("trim", "bool", "Trim"),
])])
.in_root("below the root");

/// `mgmt::json::edit`.
pub static MGMT_JSON_EDIT: KindSchema = KindSchema::new(
    "mgmt::json::edit",
    "Manages parts of a JSON document",
    &[
        text("name", "The store, if `store` does not say it"),
        text("store", "The document: a path, `file:///PATH`, or `etcd:///KEY` of the shared world")
            .mcl(&field("str", "Store")),
        list("edits", "The edits, in this order: `.path.to[\"key\"] = VALUE` or `del(.path)`")
            .mcl(&field("[]str", "Edits")),
    ],
)
.mcl(&[mcl("json:edit")])
.in_root("below the root");

/// `mgmt::gzip`.
pub static MGMT_GZIP: KindSchema = KindSchema::new(
    "mgmt::gzip",
    "Manages a compressed file",
    &[
        text("name", "The compressed file, if `path` is not set"),
        text("path", "The absolute path of the compressed file").mcl(&field("str", "Path")),
        text("input", "The absolute path of the input").mcl(&field("str", "Input").optional()),
        text("content", "The content, if there is no `input`").mcl(&field("str", "Content")),
        integer("level", "0 (none) to 9 (best), -1 (default) or -2 (without looking for repeats)")
            .default_value("-1")
            .mcl(&field("int", "Level").number(-1)),
    ],
)
.mcl(&[mcl("gzip")])
.in_root("below the root");

/// `mgmt::tar`.
pub static MGMT_TAR: KindSchema = KindSchema::new("mgmt::tar",
"Manages an archive of files and directories",
&[text("name", "The archive, if `path` is not set"), text("path", "The absolute path of the archive").mcl(&field("str", "Path")), list("inputs", "Files and directories; a directory without a trailing slash keeps its name in the archive").mcl(&field("[]str", "Inputs")), integer("format", "The format of entries: 0 (the oldest suitable one, default), 2 (ustar), 4 (pax) or 8 (gnu)").default_value("0").mcl(&field("int", "Format").number(0))]).mcl(&[mcl("tar")]).in_root("below the root");

/// `mgmt::deploy::tar`.
pub static MGMT_DEPLOY_TAR: KindSchema = KindSchema::new("mgmt::deploy::tar",
"Manages an archive of the program that declares it",
&[text("name", "The archive, if `path` is not set"), text("path", "The absolute path of the archive").mcl(&field("str", "Path")), any("format", "The format of entries: 0 (the oldest suitable one, default), 2 (ustar), 4 (pax) or 8 (gnu)").default_value("0").mcl(&field("int", "Format").number(0)), any("files", "The files of the program by their paths in the archive")]).mcl(&[mcl("deploy:tar")]).in_root("the archive is below the root, the program's files are in the program's directory");
