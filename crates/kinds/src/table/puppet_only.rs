//! Kinds that Puppet knows and the engine does not apply. Their attributes are those of
//! Puppet, so that a compile reports the same errors.

use crate::language::{PROVIDER, only, puppet};
use crate::schema::KindSchema;

/// The kinds of this table.
pub(crate) const KINDS: &[&KindSchema] = &[&STAGE, &ZONE];

/// `stage`.
static STAGE: KindSchema =
    KindSchema::not_applied("stage", "A stage of a run; the compile orders by it")
        .puppet(puppet("stage").core().own(&[only("name")]));

/// `zone`.
static ZONE: KindSchema =
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
