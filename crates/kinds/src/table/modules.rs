//! Kinds of the commonest modules of Puppet. A module's own type file stays the authority on which
//! attributes a manifest may set.

use crate::form::Form;
use crate::language::{PROVIDER, only, puppet};
use crate::schema::{AttributeSchema, KindSchema, any, boolean, choice, list, text};

/// The kinds of this table.
pub(crate) const KINDS: &[&KindSchema] = &[
    &FILE_LINE,
    &INI_SETTING,
    &INI_SUBSETTING,
    &CONCAT_FILE,
    &CONCAT_FRAGMENT,
    &ARCHIVE,
    &VCSREPO,
    &ALTERNATIVES,
    &ALTERNATIVE_ENTRY,
    &SYSCTL,
    &SYSCTL_RUNTIME,
    &APT_KEY,
];

/// The attribute `ensure` of most types.
pub(super) const ENSURE: AttributeSchema =
    choice("ensure", &["present", "absent"], "`present` (default) or `absent`")
        .default_value("present");

/// A boolean without `yes` and `no`.
pub(super) const fn flag(name: &'static str, doc: &'static str) -> AttributeSchema {
    boolean(name, doc).form(Form::TRUE_FALSE)
}

/// `file_line`.
pub static FILE_LINE: KindSchema = KindSchema::new(
    "file_line",
    "A line of a file, of the module stdlib",
    &[
        text("name", "A name for it"),
        ENSURE,
        text("path", "The file, which has to exist").form(Form::Path),
        text("line", "The line"),
        text("match", "A regular expression of Ruby; a line that matches is replaced"),
        flag("match_for_absence", "Remove the lines that match, not `line`; false by default")
            .default_value("false"),
        flag("multiple", "Whether several lines may match"),
        text("after", "A regular expression; a new line is put after the line that matches"),
        flag("replace", "Replace the line that matches; true by default").default_value("true"),
        flag(
            "replace_all_matches_not_matching_line",
            "Replace all lines that match, also if `line` is there; false by default",
        )
        .default_value("false"),
        flag("append_on_no_match", "Append the line if none matches; true by default")
            .default_value("true"),
        text("encoding", "The encoding of the file; UTF-8 by default").default_value("UTF-8"),
    ],
)
.puppet(puppet("file_line").own(&[PROVIDER]))
.comes_after(&["file"])
.in_root("below the root");

/// `ini_setting`.
pub static INI_SETTING: KindSchema = KindSchema::new(
    "ini_setting",
    "A setting of an ini file, of the module inifile",
    &[
        text("name", "A name for it"),
        ENSURE,
        text("path", "The file, which is made if it is missing").form(Form::Path),
        text("section", "The section; without it the part before the first section"),
        text("setting", "The name of the setting; without it only the section is made"),
        list("value", "The value; a list sets it once for each element"),
        text("key_val_separator", "The text between name and value; ` = ` by default"),
        text("section_prefix", "The text before the name of a section; `[` by default")
            .default_value("["),
        text("section_suffix", "The text after the name of a section; `]` by default")
            .default_value("]"),
        text("indent_char", "The text that indents a new setting; a blank by default"),
        text("indent_width", "How often; like the other settings by default"),
        boolean("refreshonly", "Set it only on a refresh; false by default")
            .form(Form::YES_NO)
            .default_value("false"),
        boolean("force_new_section_creation", "Make a missing section; true by default")
            .form(Form::YES_NO)
            .default_value("true"),
        SHOW_DIFF,
    ],
)
.puppet(puppet("ini_setting").own(&[PROVIDER]))
.comes_after(&["file"])
.in_root("below the root");

/// `show_diff` of the module inifile.
const SHOW_DIFF: AttributeSchema = choice(
    "show_diff",
    &["true", "md5", "false"],
    "Whether plans show the values: true (default), as checksums or not at all",
)
.default_value("true");

/// `ini_subsetting`.
pub static INI_SUBSETTING: KindSchema = KindSchema::new(
    "ini_subsetting",
    "An item in the value of a setting of an ini file, of the module inifile",
    &[
        text("name", "A name for it"),
        ENSURE,
        text("path", "The file, which is made if it is missing").form(Form::Path),
        text("section", "The section; without it the part before the first section"),
        text("setting", "The name of the setting"),
        text("subsetting", "The name that the item begins with"),
        text("value", "The rest of the item"),
        text("key_val_separator", "The text between setting and value; ` = ` by default"),
        text("subsetting_separator", "The text between items; a blank by default"),
        text("subsetting_key_val_separator", "The text between the name of an item and its rest"),
        text("quote_char", "The quotes around all items: `\"`, `'` or none (default)"),
        choice(
            "use_exact_match",
            &["true", "false"],
            "Whether the whole item is its name; false by default",
        )
        .default_value("false"),
        choice(
            "insert_type",
            &["start", "end", "before", "after", "index"],
            "The place of a new item; `end` by default",
        )
        .default_value("end"),
        text("insert_value", "The item or the number for `before`, `after` and `index`"),
        any("delete_if_empty", "Accepted; a setting without items is removed"),
        SHOW_DIFF,
    ],
)
.puppet(puppet("ini_subsetting").own(&[PROVIDER]))
.in_root("below the root");

/// `concat_file`.
pub static CONCAT_FILE: KindSchema = KindSchema::new(
    "concat_file",
    "A file of fragments, of the module concat; generates a `file`",
    &[
        text("path", "The file").form(Form::Path),
        ENSURE,
        any("tag", "Fragments with this tag, or one of these, are part of the file"),
        any("owner", "As of `file`"),
        any("group", "As of `file`"),
        text("mode", "As of `file`").form(Form::Mode),
        choice(
            "order",
            &["alpha", "numeric"],
            "How the fragments are ordered; `numeric` by default",
        )
        .default_value("numeric"),
        any("backup", "As of `file`"),
        boolean("replace", "As of `file`").form(Form::YES_NO),
        text("validate_cmd", "As of `file`"),
        boolean("ensure_newline", "End each fragment with a line break; false by default")
            .form(Form::YES_NO)
            .default_value("false"),
        choice(
            "format",
            &["plain", "yaml", "json", "json-array", "json-pretty", "json-array-pretty"],
            "How the fragments make a content; `plain` by default",
        )
        .default_value("plain"),
        boolean("force", "Of two values of a key, use the one of the first fragment; else fail")
            .form(Form::YES_NO)
            .default_value("false"),
        boolean("create_empty_file", "Make the file also without content; true by default")
            .form(Form::YES_NO)
            .default_value("true"),
        boolean("show_diff", "As of `file`").form(Form::YES_NO),
        boolean("selinux_ignore_defaults", "As of `file`").form(Form::YES_NO),
        text("selrange", "As of `file`"),
        text("selrole", "As of `file`"),
        text("seltype", "As of `file`"),
        text("seluser", "As of `file`"),
    ],
)
.puppet(puppet("concat_file"))
.comes_after(&["file", "user", "group"])
.in_root("below the root");

/// `concat_fragment`.
pub static CONCAT_FRAGMENT: KindSchema = KindSchema::new(
    "concat_fragment",
    "A part of a `concat_file`, of the module concat",
    &[
        text("name", "A name for it; fragments of equal order are ordered by name"),
        text("target", "The path or the title of the `concat_file`"),
        text("content", "The content"),
        list("source", "Files with the content; the first that exists counts"),
        any("order", "The place; 10 by default").default_value("10"),
        any("tag", "The tag by which a `concat_file` finds it"),
    ],
)
.puppet(puppet("concat_fragment"))
.in_root("below the root");

/// The checksums of `archive`.
const DIGESTS: &[&str] = &["none", "md5", "sha1", "sha2", "sha256", "sha384", "sha512"];

/// `archive`.
pub static ARCHIVE: KindSchema = KindSchema::new(
    "archive",
    "A file that is fetched and, if wanted, unpacked, of the module archive",
    &[
        text("path", "The file that the archive is kept in"),
        ENSURE,
        text("source", "A path, or an address of `puppet`, `file`, `http`, `https` or `ftp`"),
        text("url", "The same as `source`"),
        choice("extract", &["true", "false"], "Whether it is unpacked; false by default")
            .default_value("false"),
        text("extract_path", "The directory that it is unpacked in"),
        text("target", "The same as `extract_path`"),
        text("extract_command", "The command that unpacks it; `%s` stands for the file"),
        any("extract_flags", "Options of the program that unpacks, or a map by program"),
        text("creates", "A file; if it is there, the archive counts as unpacked"),
        choice(
            "cleanup",
            &["true", "false"],
            "Whether the archive is removed once `creates` is there; true by default",
        )
        .default_value("true"),
        any("checksum", "The checksum; a boolean says whether it is verified"),
        text("digest_string", "The same as `checksum`"),
        text("checksum_url", "A document with the checksum"),
        text("digest_url", "The same as `checksum_url`"),
        choice("checksum_type", DIGESTS, "The kind of the checksum; `none` by default")
            .default_value("none"),
        choice("digest_type", DIGESTS, "The same as `checksum_type`"),
        choice(
            "checksum_verify",
            &["true", "false"],
            "Whether a fetched archive must have the checksum; true by default",
        )
        .default_value("true"),
        text("username", "The user at the server"),
        text("password", "The user's password").secret(),
        text("cookie", "A cookie for the server").secret(),
        any("headers", "Headers for the server, a list of `Name: value`"),
        text("user", "The user that unpacks it"),
        text("group", "The group that unpacks it"),
        text("proxy_server", "The address of a proxy"),
        choice("proxy_type", &["none", "ftp", "http", "https"], "The protocol of the proxy"),
        boolean("allow_insecure", "Whether certificates are not checked; false by default")
            .form(Form::YES_NO)
            .default_value("false"),
        any("download_options", "Options of curl, which then fetches the archive"),
        text("temp_dir", "A directory for temporary files"),
        text("filename", "Accepted; it is that of `path`"),
    ],
)
.puppet(puppet("archive").own(&[
    only("cacert_file"),
    only("checksum_source"),
    only("name"),
    PROVIDER,
]))
.comes_after(&["file", "exec"])
.in_root("below the root, and unpacked inside; the network is this machine's");

/// `vcsrepo`.
pub static VCSREPO: KindSchema = KindSchema::new(
    "vcsrepo",
    "A repository of git, of the module vcsrepo",
    &[
        text("path", "The directory of the repository"),
        choice(
            "ensure",
            &["present", "latest", "bare", "mirror", "absent"],
            "`present`, `latest`: the current commit of the branch, `bare`, `mirror` or `absent`",
        ),
        any("source", "The address of the repository, or a map of remote names and addresses"),
        text("remote", "The remote repository that is tracked; `origin` by default")
            .default_value("origin"),
        text("revision", "The branch, tag or commit that is checked out"),
        text("branch", "The branch that is cloned"),
        any("depth", "How many commits are cloned; all by default"),
        choice(
            "submodules",
            &["true", "false"],
            "Whether submodules are checked out; true by default",
        )
        .default_value("true"),
        any("owner", "The owner of all files"),
        any("group", "The group of all files"),
        text("user", "The user that runs git"),
        text("identity", "The file with the key for ssh"),
        boolean("force", "Replace another content of the directory; false by default")
            .form(Form::YES_NO)
            .default_value("false"),
        list("excludes", "Paths that git ignores"),
        list("includes", "Paths that are checked out; all by default"),
        choice("skip_hooks", &["true", "false"], "Whether hooks are turned off"),
        choice(
            "keep_local_changes",
            &["true", "false"],
            "Whether changed files keep their changes in another revision; false by default",
        )
        .default_value("false"),
        choice(
            "trust_server_cert",
            &["true", "false"],
            "Whether certificates are not checked; false by default",
        )
        .default_value("false"),
        any(
            "safe_directory",
            "Accepted; a repository with another owner than `user` is listed as safe",
        ),
        text("umask", "The umask of git"),
        any("http_proxy", "The address of a proxy, or a map by remote repository"),
        text("tmpdir", "Accepted; not needed"),
        text("fstype", "Subversion only"),
        any("compression", "CVS only"),
        text("basic_auth_username", "Subversion and Mercurial only"),
        text("basic_auth_password", "Subversion and Mercurial only").secret(),
        text("module", "CVS only"),
        text("configuration", "Subversion only"),
        text("cvs_rsh", "CVS only"),
        text("p4config", "Perforce only"),
        text("conflict", "Subversion only"),
    ],
)
.puppet(puppet("vcsrepo").own(&[
    only("p4charset"),
    only("p4client"),
    only("p4passwd"),
    only("p4port"),
    only("p4user"),
    PROVIDER,
]))
.comes_after(&["package"])
.in_root("git runs inside");

/// `alternatives`.
pub static ALTERNATIVES: KindSchema = KindSchema::new(
    "alternatives",
    "The alternative that update-alternatives links to, of the module alternatives",
    &[
        text("name", "The name of the alternatives"),
        text("path", "The file that is chosen"),
        choice("mode", &["auto", "manual"], "Whether the program chooses"),
    ],
)
.puppet(puppet("alternatives").own(&[PROVIDER]))
.comes_after(&["alternative_entry"])
.in_root("update-alternatives runs inside");

/// `alternative_entry`.
pub static ALTERNATIVE_ENTRY: KindSchema = KindSchema::new(
    "alternative_entry",
    "A file that update-alternatives can link to, of the module alternatives",
    &[
        text("name", "The file; in a title, the link may follow after a colon"),
        ENSURE,
        text("altlink", "The link that all use"),
        text("altname", "The name of the alternatives"),
        any("priority", "The highest is chosen by itself"),
    ],
)
.puppet(puppet("alternative_entry").own(&[only("altlink_ro"), PROVIDER]))
.in_root("update-alternatives runs inside");

/// `sysctl`.
pub static SYSCTL: KindSchema = KindSchema::new(
    "sysctl",
    "A setting of the kernel in a file, of the module sysctl by duritong",
    &[
        text("name", "The name, such as `net.core.somaxconn`"),
        ENSURE,
        text("val", "The value"),
        text("target", "The file; /etc/sysctl.conf by default"),
    ],
)
.puppet(puppet("sysctl").own(&[PROVIDER]))
.comes_after(&["file"])
.in_root("the file, and the settings below the root's `/proc/sys`");

/// `sysctl_runtime`.
pub static SYSCTL_RUNTIME: KindSchema = KindSchema::new(
    "sysctl_runtime",
    "The current value of a setting of the kernel, of the module sysctl by duritong",
    &[text("name", "The name, such as `net.core.somaxconn`"), text("val", "The value")],
)
.puppet(puppet("sysctl_runtime").own(&[PROVIDER]))
.in_root("the file, and the settings below the root's `/proc/sys`");

/// `apt_key`.
pub static APT_KEY: KindSchema = KindSchema::new(
    "apt_key",
    "A key that apt trusts, of the module apt; kept by apt-key",
    &[
        text("id", "Its fingerprint, or the last 16 or 8 digits of it"),
        choice(
            "ensure",
            &["present", "absent"],
            "`present` or `absent`; without it nothing is done",
        ),
        text("content", "The key"),
        text("source", "A path, or an address of `http`, `https` or `ftp`, with the key"),
        text(
            "server",
            "The server of keys for a key without both; `keyserver.ubuntu.com` by default",
        )
        .default_value("keyserver.ubuntu.com"),
        text("options", "Options for that server, as of gpg's `--keyserver-options`"),
        boolean("refresh", "Add an expired key again; false by default")
            .form(Form::YES_NO)
            .default_value("false"),
        boolean("weak_ssl", "Whether certificates of `source` are not checked; false by default")
            .form(Form::YES_NO)
            .default_value("false"),
    ],
)
.puppet(puppet("apt_key").own(&[PROVIDER]))
.comes_after(&["file"])
.in_root("apt-key and gpg run inside; the network is this machine's");
