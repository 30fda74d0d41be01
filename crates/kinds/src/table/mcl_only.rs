//! Kinds that mcl knows and the engine does not apply. Their attributes are those of
//! mcl, so that a compile reports the same errors.

use crate::language::{Width, mcl, named};
use crate::schema::KindSchema;

/// The kinds of this table.
pub(crate) const KINDS: &[&KindSchema] = &[
    &PANIC,
    &MGMT_AUGEAS,
    &FIREWALLD,
    &FWATTR,
    &FWUPD_DEVICE,
    &FWUPD_REMOTE,
    &FWUPD_SYSTEM,
    &GSETTINGS,
    &AWS_EC2,
    &BMC_FIRMWARE,
    &BMC_POWER,
    &DOCKER_CONTAINER,
    &DOCKER_IMAGE,
    &HETZNER_VM,
    &REMOTE,
    &VIRT,
    &VIRT_BUILDER,
    &VIRT_NETWORK,
    &VIRT_NETWORK_HOST,
    &VIRT_NETWORK_RANGE,
    &CONSUL_KV,
];

/// `_panic`.
static PANIC: KindSchema =
    KindSchema::not_applied("_panic", "Fails the program that declares it").mcl(&[mcl("_panic")]);

/// `augeas` of mgmt.
static MGMT_AUGEAS: KindSchema = KindSchema::not_applied(
    "mgmt::augeas",
    "Values of a file by a lens of Augeas",
)
.mcl(&[mcl("augeas").fields(&[
    named("file", "str", "File"),
    named("lens", "str", "Lens"),
    named("sets", "[]struct{path str; value str}", "Sets"),
])]);

/// `firewalld`.
static FIREWALLD: KindSchema = KindSchema::not_applied(
    "firewalld",
    "Ports and services of firewalld",
)
.mcl(&[mcl("firewalld").fields(&[
    named("zone", "str", "Zone"),
    named("state", "str", "State"),
    named("services", "[]str", "Services"),
    named("ports", "[]str", "Ports"),
])]);

/// `fwattr`.
static FWATTR: KindSchema =
    KindSchema::not_applied("fwattr", "A firmware setting").mcl(&[mcl("fwattr").fields(&[
        named("driver", "str", "Driver"),
        named("key", "str", "Key"),
        named("value", "str", "Value"),
        named("check", "bool", "Check").flag(true),
        named("strict", "bool", "Strict"),
        named("skip", "bool", "Skip"),
    ])]);

/// `fwupd:device`.
static FWUPD_DEVICE: KindSchema = KindSchema::not_applied(
    "fwupd::device",
    "The firmware of a device",
)
.mcl(&[mcl("fwupd:device").traits(&["edgeable"]).fields(&[
    named("device", "str", "Device"),
    named("version", "str", "Version"),
    named("allow_downgrade", "bool", "AllowDowngrade"),
])]);

/// `fwupd:remote`.
static FWUPD_REMOTE: KindSchema = KindSchema::not_applied("fwupd::remote", "A source of firmware")
    .mcl(&[mcl("fwupd:remote").traits(&["edgeable"]).fields(&[
        named("enabled", "bool", "Enabled").optional(),
        named("refresh_age", "str", "RefreshAge"),
    ])]);

/// `fwupd:system`.
static FWUPD_SYSTEM: KindSchema =
    KindSchema::not_applied("fwupd::system", "The firmware of the machine").mcl(&[mcl(
        "fwupd:system",
    )
    .traits(&["edgeable"])
    .fields(&[named("state", "str", "State"), named("exclude", "[]str", "Exclude")])]);

/// `gsettings`.
static GSETTINGS: KindSchema =
    KindSchema::not_applied("gsettings", "A setting of GNOME").mcl(&[mcl("gsettings").fields(&[
        named("schema", "str", "Schema"),
        named("key", "str", "Key"),
        named("type", "str", "Type"),
        named("value", "variant", "Value"),
        named("user", "str", "User"),
        named("group", "str", "Group"),
    ])]);

/// `aws:ec2`.
static AWS_EC2: KindSchema =
    KindSchema::not_applied("aws::ec2", "A machine at Amazon").mcl(&[mcl("aws:ec2").fields(&[
        named("state", "str", "State"),
        named("region", "str", "Region"),
        named("type", "str", "Type"),
        named("imageid", "str", "ImageID"),
        named("watchendpoint", "str", "WatchEndpoint"),
        named("watchlistenaddr", "str", "WatchListenAddr"),
        named("erroronmalformedpost", "bool", "ErrorOnMalformedPost"),
        named("userdata", "str", "UserData"),
    ])]);

/// `bmc:firmware`.
static BMC_FIRMWARE: KindSchema =
    KindSchema::not_applied("bmc::firmware", "The firmware of a management controller").mcl(&[
        mcl("bmc:firmware").fields(&[
            named("hostname", "str", "Hostname"),
            named("port", "int", "Port"),
            named("username", "str", "Username"),
            named("password", "str", "Password"),
            named("insecure_password", "bool", "InsecurePassword"),
            named("provider", "str", "Provider"),
            named("file", "str", "File"),
            named("hash", "str", "Hash"),
            named("version", "str", "Version"),
            named("block", "str", "Block"),
        ]),
    ]);

/// `bmc:power`.
static BMC_POWER: KindSchema =
    KindSchema::not_applied("bmc::power", "The power of a machine with a management controller")
        .mcl(&[mcl("bmc:power").fields(&[
            named("hostname", "str", "Hostname"),
            named("port", "int", "Port"),
            named("username", "str", "Username"),
            named("password", "str", "Password"),
            named("insecure_password", "bool", "InsecurePassword"),
            named("driver", "str", "Driver"),
            named("state", "str", "State"),
        ])]);

/// `docker:container`.
static DOCKER_CONTAINER: KindSchema = KindSchema::not_applied(
    "docker::container",
    "A Docker container",
)
.mcl(&[mcl("docker:container").traits(&["edgeable"]).fields(&[
    named("state", "str", "State").text("running"),
    named("image", "str", "Image"),
    named("cmd", "[]str", "Cmd"),
    named("env", "[]str", "Env"),
    named("ports", "map{str: map{int: int}}", "Ports"),
    named("apiversion", "str", "APIVersion"),
    named("force", "bool", "Force"),
])]);

/// `docker:image`.
static DOCKER_IMAGE: KindSchema = KindSchema::not_applied("docker::image", "An image of Docker")
    .mcl(&[mcl("docker:image").traits(&["edgeable"]).fields(&[
        named("state", "str", "State").text("exists"),
        named("apiversion", "str", "APIVersion"),
    ])]);

/// `hetzner:vm`.
static HETZNER_VM: KindSchema =
    KindSchema::not_applied("hetzner::vm", "A machine at Hetzner").mcl(&[mcl("hetzner:vm")
        .fields(&[
            named("apitoken", "str", "APIToken"),
            named("state", "str", "State").text(""),
            named("allowrebuild", "str", "AllowRebuild").text("error"),
            named("servertype", "str", "ServerType"),
            named("datacenter", "str", "Datacenter"),
            named("image", "str", "Image"),
            named("userdata", "str", "UserData"),
            named("serverrescuemode", "str", "ServerRescueMode"),
            named("serverrescuekeys", "[]str", "ServerRescueSSHKeys"),
            named("waitinterval", "int", "WaitInterval").width(Width::U32),
            named("waittimeout", "int", "WaitTimeout").width(Width::U32),
        ])]);

/// `remote`.
static REMOTE: KindSchema = KindSchema::not_applied("remote", "A machine that mgmt reaches by SSH")
    .mcl(&[mcl("remote").traits(&["interruptable"]).fields(&[
        named("remote", "str", "Remote"),
        named("hostname", "str", "Hostname"),
        named("state", "str", "State").text("running"),
        named("ssh_id", "str", "SSHID").optional(),
        named("hostkey", "str", "HostKey"),
        named("interactive", "bool", "Interactive"),
        named("interactive_timeout", "int", "InteractiveTimeout").width(Width::U64),
        named("max_password_tries", "int", "MaxPasswordTries"),
        named("allow_cleartext_password", "bool", "AllowCleartextPassword"),
        named("caching", "bool", "Caching").flag(true),
        named("transient", "bool", "Transient").flag(true),
        named("tunnelled", "bool", "Tunnelled").flag(true),
        named("tunnel_addr", "str", "TunnelAddr"),
        named("install_deps", "bool", "InstallDeps"),
        named("converger_timeout", "int", "ConvergerTimeout").optional(),
    ])]);

/// `virt`.
static VIRT: KindSchema =
    KindSchema::not_applied("virt", "A libvirt virtual machine").mcl(&[mcl("virt")
        .traits(&["refreshable", "background"])
        .fields(&[
            named("uri", "str", "URI"),
            named("state", "str", "State"),
            named("startup", "str", "Startup"),
            named("transient", "bool", "Transient"),
            named("cpus", "int", "CPUs").width(Width::U64),
            named("maxcpus", "int", "MaxCPUs").width(Width::U64),
            named("hotcpus", "bool", "HotCPUs").flag(true),
            named("memory", "int", "Memory").width(Width::U64),
            named("osinit", "str", "OSInit"),
            named("boot", "[]str", "Boot"),
            named("disk", "[]struct{source str; type str}", "Disk"),
            named("cdrom", "[]struct{source str; type str}", "CDRom"),
            named("network", "[]struct{name str; mac str}", "Network"),
            named(
                "filesystem",
                "[]struct{access str; source str; target str; read_only bool}",
                "Filesystem",
            ),
            named("auth", "struct{username str; password str}", "Auth").optional(),
            named("restartondiverge", "str", "RestartOnDiverge").text("error"),
            named("restartonrefresh", "bool", "RestartOnRefresh"),
        ])]);

/// `virt:builder`.
static VIRT_BUILDER: KindSchema = KindSchema::not_applied(
    "virt::builder",
    "An image from virt-builder",
)
.mcl(&[mcl("virt:builder").fields(&[
    named("output", "str", "Output"),
    named("os_version", "str", "OSVersion"),
    named("arch", "str", "Arch"),
    named("hostname", "str", "Hostname"),
    named("format", "str", "Format"),
    named("size", "int", "Size"),
    named("packages", "[]str", "Packages"),
    named("update", "bool", "Update").flag(true),
    named("selinux_relabel", "bool", "SelinuxRelabel").flag(true),
    named("no_setup", "bool", "NoSetup"),
    named("ssh_keys", "[]struct{user str; type str; key str; comment str}", "SSHKeys"),
    named("root_ssh_inject", "bool", "RootSSHInject").flag(true),
    named("root_password_selector", "str", "RootPasswordSelector").text("disabled"),
    named("bootstrap", "bool", "Bootstrap").flag(true),
    named("seeds", "[]str", "Seeds"),
    named("mkdir", "[]str", "Mkdir"),
    named("copy_in", "[]struct{path str; dest str}", "CopyIn"),
    named("run_cmd", "[]str", "RunCmd"),
    named("firstboot_cmd", "[]str", "FirstbootCmd"),
    named("log_output", "bool", "LogOutput").flag(true),
    named("tweaks", "bool", "Tweaks").flag(true),
])]);

/// `virt:network`.
static VIRT_NETWORK: KindSchema = KindSchema::not_applied("virt::network", "A network of libvirt")
    .mcl(&[mcl("virt:network").traits(&["edgeable", "groupable", "background"]).fields(&[
        named("uri", "str", "URI"),
        named("state", "str", "State"),
        named("transient", "bool", "Transient"),
        named("startup", "str", "Startup"),
        named("uuid", "str", "UUID"),
        named("device", "str", "Device"),
        named("mode", "str", "Mode"),
        named("mac", "str", "Mac"),
        named("ip", "str", "IP"),
        named("purge_hosts", "bool", "PurgeHosts"),
        named("purge_ranges", "bool", "PurgeRanges"),
        named("auth", "struct{username str; password str}", "Auth").optional(),
    ])]);

/// `virt:network:host`.
static VIRT_NETWORK_HOST: KindSchema = KindSchema::not_applied(
    "virt::network::host",
    "A host of a libvirt network",
)
.mcl(&[mcl("virt:network:host").traits(&["groupable"]).fields(&[
    named("network", "str", "Network"),
    named("hostname", "str", "Hostname"),
    named("mac", "str", "Mac"),
    named("ip", "str", "IP"),
])]);

/// `virt:network:range`.
static VIRT_NETWORK_RANGE: KindSchema = KindSchema::not_applied(
    "virt::network::range",
    "Addresses of a libvirt network",
)
.mcl(&[mcl("virt:network:range").traits(&["groupable"]).fields(&[
    named("network", "str", "Network"),
    named("start", "str", "Start"),
    named("end", "str", "End"),
])]);

/// `consul:kv`.
static CONSUL_KV: KindSchema =
    KindSchema::not_applied("consul::kv", "A value in Consul").mcl(&[mcl("consul:kv").fields(&[
        named("key", "str", "Key"),
        named("value", "str", "Value"),
        named("scheme", "str", "Scheme"),
        named("address", "str", "Address"),
        named("token", "str", "Token"),
    ])]);
