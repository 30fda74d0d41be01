//! The documentation of the diagnostic codes of the language.

mod lint;

use lint::LINT;
use ordain_puppet::codes::CODES as PUPPET;
use ordain_source::CodeDoc;

/// The codes of compiles, of static checks and of puppet-lint's checks.
pub const CODES: &[CodeDoc] = &joined();

/// The number of codes of compiles and of static checks.
const BEFORE_LINT: usize = PUPPET.len() + CHECKS.len();

const fn joined() -> [CodeDoc; BEFORE_LINT + LINT.len()] {
    let mut all = [PUPPET[0]; BEFORE_LINT + LINT.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < PUPPET.len() {
            PUPPET[at]
        } else if at < BEFORE_LINT {
            CHECKS[at - PUPPET.len()]
        } else {
            LINT[at - BEFORE_LINT]
        };
        at += 1;
    }
    all
}

/// The codes of the static checks.
pub const CHECKS: &[CodeDoc] = &[
    CodeDoc::new(
        "puppet::invalid-data",
        "A file of data is broken",
        "YAML or JSON that cannot be read, or a `hiera.yaml` that is not well formed. Lookups that reach the file would fail.",
    ),
    CodeDoc::new(
        "puppet::single-quoted-variable",
        "A variable in single quotes",
        r#"`'port ${port}'` is this text itself: only double quotes interpolate, `"port ${port}"`. For literal text, as for a shell, write `"\${port}"` in double quotes. Only `ordain check` warns, and not with `--strict off`."#,
    ),
    CodeDoc::new(
        "puppet::unknown-word",
        "A bare word that is hardly meant as text",
        "`defualt: { … }` among the options of `case` is the text 'defualt', which nothing matches. Write `default`, or put the text in quotes. Only `ordain check` warns.",
    ),
    CodeDoc::new(
        "puppet::type-feature-name",
        "A feature can not be read as a variable",
        "Variables begin with a small letter, so `$Name` is none. Rename the feature: `name`.",
    ),
    CodeDoc::new(
        "puppet::type-invariant-title",
        "An invariant may be written the wrong way round",
        "An invariant is a condition that must hold, so a title that describes the forbidden case needs a negated condition: `invariant \"not both\" { !($a and $b) }`.",
    ),
    CodeDoc::new(
        "puppet::type-shadowed",
        "A type has the name of a resource type",
        "`T.new` and types of parameters mean this type; `t { }`, `T['x']` and `T { }` mean the resource type. Rename it if it is to be declared as a resource.",
    ),
    CodeDoc::new(
        "puppet::type-untyped",
        "An attribute has no type",
        "`attr name` alone takes anything. Give it a type: `attr name, String`, or `Any` if that is intended.",
    ),
    CodeDoc::new(
        "puppet::unknown-class",
        "There is no class of this name",
        "`include profile::basics` where the module `profile` is here and has `profile::base`. Check the spelling, and the file: `profile::base` is in `profile/manifests/base.pp`. A name that the file asks for with `defined('profile::x')` may be missing.",
    ),
    CodeDoc::new(
        "puppet::unknown-type",
        "There is no type of this name",
        "`Sting $x` or `Stdlib::Absolutpath $path`: check the spelling. Types of a module are in its directory `types`.",
    ),
    CodeDoc::new(
        "puppet::unknown-module",
        "A name is of a module that nothing asks for",
        "`include ntp` where there is no module `ntp`, and neither the Puppetfile nor a `metadata.json` asks for it. Add it to one of them; for a module that is used only where it is there, say `# lint:ignore:unknown_module`. Each module is reported once.",
    ),
    CodeDoc::new(
        "puppet::missing-parameter",
        "A define lacks a required parameter",
        "`app::site { 'x': }` where `define app::site($root)` has no default for `root`, which no resource default gives either. Give it where the resource is declared. Parameters of classes may come from Hiera and are not reported.",
    ),
    CodeDoc::new(
        "puppet::invalid-value",
        "An attribute of a resource has a value that its type refuses",
        "`file { '/etc/motd': mode => 644 }`, where a mode is a text, or `service { 'ntp': ensure => 'runing' }`. Nothing is applied on a node with such a resource. Only values that stand in the code are looked at, and only those that the type refuses on every machine.",
    ),
    CodeDoc::new(
        "puppet::unchecked-names",
        "Names were not checked, as a module is not here",
        "A function such as `my_merge` may be of a module that `metadata.json` or the Puppetfile asks for and that is not here, so nobody can say whether it exists. Only files of modules that ask for a missing one are spared, and names that are a slip of a known one, such as `regsub`, are reported all the same. Install the modules (`ordain deploy puppetfile`), or name their directory with `--modulepath`.",
    ),
    CodeDoc::new(
        "puppet::duplicate-resource",
        "A resource is declared twice",
        "`file { '/etc/motd': }` and further down, on the same path through the code, `file { '/etc/motd': }` again; or `class { 'ntp': }` after `include ntp`. Every run that gets there fails. Declare it once, or guard one of the two with `unless defined(File['/etc/motd'])`.",
    ),
    CodeDoc::new(
        "puppet::dependency-cycle",
        "Relations lead in a circle",
        "`notify { 'a': require => Notify['b'] }` and `notify { 'b': require => Notify['a'] }`: neither can come first, so no run can apply them. Remove one of the relations; the message has the circle. Only relations between literal resources of one body are looked at, without those in branches.",
    ),
    CodeDoc::new(
        "puppet::unreachable-code",
        "Code is never reached",
        "`fail('no')` and a statement after it in the same body: `fail`, `return`, `next` and `break` end the code. Remove what follows, or put the call in a condition.",
    ),
    CodeDoc::new(
        "puppet::impossible-value",
        "A variable is compared with a value that its type does not have",
        "`$ensure == 'abesnt'` where the parameter is an `Enum['present', 'absent']`, or `$debug == 'true'` where it is a Boolean: the comparison has the same result on every node. Check the spelling, and the type.",
    ),
    CodeDoc::new(
        "puppet::duplicate-option",
        "An option is there twice",
        "`'Linux': { … }` and further down `'linux': { … }` in the same `case` or selector: texts are compared without their case, and the first option wins. Remove the second one.",
    ),
    CodeDoc::new(
        "puppet::default-not-last",
        "Options come after `default`",
        "`case $x { default: { … } 'a': { … } }`: `default` is tried last wherever it is, which readers do not expect. Move it to the end; the meaning stays.",
    ),
    CodeDoc::new(
        "puppet::missing-option",
        "A value of a type has no option",
        "`$kind ? { 'a' => 1, 'b' => 2 }` where `$kind` is an `Enum['a', 'b', 'c']`: for 'c' the selector is an error, and a `case` does nothing. Add the option, or `default`.",
    ),
    CodeDoc::new(
        "puppet::conflicting-attributes",
        "Attributes exclude each other",
        "`file { '/a': content => 'x', source => 'puppet:///modules/a/x' }`: a file has one of `content`, `source` and `target`, and every run with such a resource fails. Only values that are certainly given are looked at.",
    ),
    CodeDoc::new(
        "puppet::invalid-template",
        "A template is no valid ERB",
        "`<% if @server %>` without `<% end %>`: Ruby cannot read the template, and every run that renders it fails. Code that is Ruby beyond what Ordain reads itself is not reported.",
    ),
    CodeDoc::new(
        "puppet::missing-data-file",
        "A level of a hierarchy has no data",
        "`path: comon.yaml` in a `hiera.yaml` beside `data/common.yaml`: lookups pass such a level without a message. Check the spelling of the path and of `datadir`, or remove the level. Of paths with interpolations only the directory is looked at.",
    ),
    CodeDoc::new(
        "puppet::protected-path",
        "A resource would remove or empty a directory that a machine runs on",
        "`file { '/srv/..': ensure => absent, force => true }`, which is `/`, or `tidy { '/etc': recurse => true }`. Such a resource fails when it is planned or applied, unless `--allow-remove PATH` names the directory. Here only paths that stand in the code are looked at; a plan looks at all of them, also through links, and at mount points.",
    ),
    CodeDoc::new(
        "puppet::unset-variable",
        "A variable is read before it is set",
        "`notify { $text: }` and further down `$text = 'a'`: where it is read it has no value yet, as code runs from top to bottom. Set it first; both places are shown.",
    ),
    CodeDoc::new(
        "puppet::argument-mismatch",
        "A function is not called as it must be",
        "`split('a')`, or `lookup('a', true)`: too few arguments, or one of a wrong type. The message has what the function takes. Only arguments are looked at that are the same in every compile.",
    ),
    CodeDoc::new(
        "puppet::unused-variable",
        "A variable is set and never read",
        "`$port = 80` and nothing that has `$port`. Remove it; a name such as `$_port` marks it as intended. Variables of classes are reported only in environments, if no other file and no template has them.",
    ),
    CodeDoc::new(
        "puppet::unused-parameter",
        "A parameter is never read",
        "`define app($port) { }`: the argument has no effect. Remove it, or call it `$_port` in a lambda or function. In code that renders templates, a parameter counts as read if a template has a word of its name.",
    ),
    CodeDoc::new(
        "puppet::shadowed-variable",
        "A variable hides another one of the same name",
        "`$name_of.each |$port| { }` where the class has a `$port` as well: inside of the lambda that one cannot be read. Rename one of the two; both places are shown.",
    ),
    CodeDoc::new(
        "puppet::unknown-fact",
        "There is no such fact",
        "`$facts['os']['familly']`: neither Facter nor a module here has it. Check the spelling; facts of modules are those that their files below `lib/facter` and `facts.d` add. `ordain check --facts FILE` adds the known facts.",
    ),
    CodeDoc::new(
        "puppet::legacy-fact",
        "A fact is one of earlier times",
        "`$::osfamily` is `$facts['os']['family']` now. Puppet 8 does not give the old facts unless `include_legacy_facts` is set; the help has the new one.",
    ),
    CodeDoc::new(
        "puppet::unknown-data-key",
        "Data is for a parameter that does not exist",
        "`ntp::sever: a` in a data file, where `class ntp($server)` has no such parameter and nothing looks the key up: it has no effect. Check the spelling, or remove it. Keys of `lookup_options` are looked at, too.",
    ),
    CodeDoc::new(
        "puppet::invalid-metadata",
        "The `metadata.json` of a module is wrong",
        "It has a `name` such as `acme-ntp`, a `version` such as `1.2.0`, and `dependencies`, each with a `name` and perhaps a `version_requirement` such as `>= 1.0.0 < 3.0.0`.",
    ),
    CodeDoc::new(
        "puppet::dependency",
        "A dependency of a module is not satisfied",
        "Its `metadata.json` asks for a module that is neither here nor in the Puppetfile, or for other versions than the one that is here. Install one that fits, or correct `version_requirement`.",
    ),
    CodeDoc::new(
        "puppet::missing-modules",
        "Modules of the Puppetfile are not installed",
        "Their definitions are unknown, so unknown names of theirs are not reported. `ordain deploy puppetfile` installs them; `ordain check --modulepath DIRS` names their directories.",
    ),
    CodeDoc::new(
        "puppet::duplicate-module",
        "The Puppetfile lists a module twice",
        "`mod 'acme/ntp'` and `mod 'other/ntp'` would be installed in one directory. Remove one; both places are shown.",
    ),
    CodeDoc::new(
        "puppet::hidden-module",
        "Two directories of the module path have a module of the same name",
        "`site-modules/ntp` and `modules/ntp`: the first directory of `modulepath` wins, and nothing of the other module is seen. Remove or rename one.",
    ),
    CodeDoc::new(
        "puppet::duplicate-data-key",
        "A map in a file of data has a key twice",
        "Of `ntp::port: 123` and `ntp::port: 124` in one map the last counts, and the other has no effect, without a word from the reader of YAML. Remove one.",
    ),
    CodeDoc::new(
        "puppet::missing-file",
        "A template or file that a module does not have",
        "`template('ntp/ntp.conf.erb')` reads templates/ntp.conf.erb of the module ntp, `file('ntp/keys')` its files/keys. A compile that reaches it fails. Only literal names and modules that are present are checked.",
    ),
    CodeDoc::new(
        "puppet::missing-resource",
        "A relationship names a resource that nothing declares",
        "`require => Package['ntpp']` where every package of the repository has another title: a run ends with `Could not find resource`. It is only reported where all titles of the type are literal. Check the spelling, or declare the resource.",
    ),
    CodeDoc::new(
        "puppet::unknown-setting",
        "An environment has no setting of this name",
        "`modulpath = modules` in `environment.conf` has no effect: check the spelling. There are `modulepath`, `manifest`, `config_version`, `environment_timeout` and a few more.",
    ),
];
