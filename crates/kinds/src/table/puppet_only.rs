//! Kinds that Puppet knows and the engine does not apply. Their attributes are those of
//! Puppet, so that a compile reports the same errors.

use crate::language::{PROVIDER, only, puppet};
use crate::schema::KindSchema;

/// The kinds of this table.
pub(crate) const KINDS: &[&KindSchema] =
    &[&STAGE, &ZONE, &FILE_LINE, &CONCAT_FILE, &CONCAT_FRAGMENT];

/// `stage`.
const STAGE: KindSchema =
    KindSchema::not_applied("stage", "A stage of a run; the compile orders by it")
        .puppet(puppet("stage").core().own(&[only("name")]));

/// `zone`.
const ZONE: KindSchema =
    KindSchema::not_applied("zone", "A zone of Solaris").puppet(puppet("zone").own(&[
        only("name"),
        only("ensure"),
        only("id"),
        only("clone"),
        only("ip"),
        only("iptype"),
        only("autoboot"),
        only("path"),
        only("pool"),
        only("shares"),
        only("dataset"),
        only("inherit"),
        only("sysidcfg"),
        only("create_args"),
        only("install_args"),
        only("realhostname"),
        PROVIDER,
    ]));

/// `file_line`.
const FILE_LINE: KindSchema =
    KindSchema::not_applied("file_line", "A line of a file (module stdlib)").puppet(
        puppet("file_line").own(&[
            only("name"),
            only("ensure"),
            only("path"),
            only("line"),
            only("match"),
            only("match_for_absence"),
            only("multiple"),
            only("after"),
            only("replace"),
            only("replace_all_matches_not_matching_line"),
            only("append_on_no_match"),
            only("encoding"),
            PROVIDER,
        ]),
    );

/// `concat_file`.
const CONCAT_FILE: KindSchema =
    KindSchema::not_applied("concat_file", "A file of fragments (module concat)").puppet(
        puppet("concat_file").own(&[
            only("name"),
            only("tag"),
            only("path"),
            only("ensure"),
            only("owner"),
            only("group"),
            only("mode"),
            only("order"),
            only("backup"),
            only("selrange"),
            only("selrole"),
            only("seltype"),
            only("seluser"),
            only("selinux_ignore_defaults"),
            only("replace"),
            only("validate_cmd"),
            only("ensure_newline"),
            only("format"),
            only("force"),
            only("show_diff"),
            only("create_empty_file"),
        ]),
    );

/// `concat_fragment`.
const CONCAT_FRAGMENT: KindSchema =
    KindSchema::not_applied("concat_fragment", "A fragment of such a file (module concat)").puppet(
        puppet("concat_fragment").own(&[
            only("name"),
            only("target"),
            only("content"),
            only("source"),
            only("order"),
            only("tag"),
        ]),
    );
