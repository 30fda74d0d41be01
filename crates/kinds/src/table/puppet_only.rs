//! Kinds that Puppet knows and the engine does not apply. Their attributes are those of
//! Puppet, so that a compile reports the same errors.

use crate::form::Form;
use crate::language::{PROVIDER, mcl, named, only, puppet};
use crate::schema::KindSchema;

/// The kinds of this table.
pub(crate) const KINDS: &[&KindSchema] = &[&STAGE, &AUGEAS, &ZONE];

/// `stage`.
const STAGE: KindSchema =
    KindSchema::not_applied("stage", "A stage of a run; the compile orders by it")
        .puppet(puppet("stage").core().own(&[only("name")]));

/// `augeas`.
const AUGEAS: KindSchema = KindSchema::not_applied("augeas", "Edits files by the lenses of Augeas")
    .puppet(puppet("augeas").own(&[
        only("name"),
        only("changes"),
        only("context"),
        only("root"),
        only("lens"),
        only("incl"),
        only("onlyif"),
        only("force"),
        only("load_path"),
        only("type_check").form(Form::TRUE_FALSE),
        only("show_diff").form(Form::YES_NO),
        only("returns"),
        PROVIDER,
    ]))
    .mcl(&[mcl("augeas").fields(&[
        named("file", "str", "File"),
        named("lens", "str", "Lens"),
        named("sets", "[]struct{path str; value str}", "Sets"),
    ])]);

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
