//! The code for the child, which it gets at its start.

use miniz_oxide::inflate::decompress_to_vec;

use crate::language::Language;

/// A file of this crate that the build has compressed.
macro_rules! source {
    ($path:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $path))
    };
}

/// The files of the Ruby side in the order they are evaluated.
const FILES: &[(&str, &[u8])] = &[
    ("ordain/wire.rb", source!("ruby/wire.rb")),
    ("ordain/shared_values.rb", source!("ruby/shared_values.rb")),
    ("ordain/puppet.rb", source!("ruby/puppet.rb")),
    ("ordain/pops.rb", source!("ruby/pops.rb")),
    ("ordain/util.rb", source!("ruby/util.rb")),
    ("ordain/http.rb", source!("ruby/http.rb")),
    ("ordain/facter.rb", source!("ruby/facter.rb")),
    ("ordain/functions.rb", source!("ruby/functions.rb")),
    ("ordain/scope.rb", source!("ruby/scope.rb")),
    ("ordain/templates.rb", source!("ruby/templates.rb")),
    ("ordain/values.rb", source!("ruby/values.rb")),
    ("ordain/parameters.rb", source!("ruby/parameters.rb")),
    ("ordain/providers.rb", source!("ruby/providers.rb")),
    ("ordain/provider_stubs.rb", source!("ruby/provider_stubs.rb")),
    ("ordain/resources.rb", source!("ruby/resources.rb")),
    ("ordain/outlines.rb", source!("ruby/outlines.rb")),
    ("ordain/types.rb", source!("ruby/types.rb")),
    ("ordain/hiera.rb", source!("ruby/hiera.rb")),
    ("ordain/resource_api.rb", source!("ruby/resource_api.rb")),
    ("ordain/processors.rb", source!("ruby/processors.rb")),
    ("ordain/copies.rb", source!("ruby/copies.rb")),
    ("ordain/main.rb", source!("ruby/main.rb")),
];

/// The files of the provider process in Ruby, in the order they are evaluated.
const PROVIDER_FILES: &[(&str, &[u8])] = &[
    ("ordain/puppet.rb", source!("ruby/puppet.rb")),
    ("ordain/execution/process.rb", source!("ruby/execution/process.rb")),
    ("ordain/pops.rb", source!("ruby/pops.rb")),
    ("ordain/util.rb", source!("ruby/util.rb")),
    ("ordain/facter.rb", source!("ruby/facter.rb")),
    ("ordain/values.rb", source!("ruby/values.rb")),
    ("ordain/parameters.rb", source!("ruby/parameters.rb")),
    ("ordain/providers.rb", source!("ruby/providers.rb")),
    ("ordain/resources.rb", source!("ruby/resources.rb")),
    ("ordain/types.rb", source!("ruby/types.rb")),
    ("ordain/execution/values.rb", source!("ruby/execution/values.rb")),
    ("ordain/execution/display.rb", source!("ruby/execution/display.rb")),
    ("ordain/execution/resource.rb", source!("ruby/execution/resource.rb")),
    ("ordain/execution/properties.rb", source!("ruby/execution/properties.rb")),
    ("ordain/execution/providers.rb", source!("ruby/execution/providers.rb")),
    ("ordain/execution/legacy_facts.rb", source!("ruby/execution/legacy_facts.rb")),
    ("ordain/execution/custom_facts.rb", source!("ruby/execution/custom_facts.rb")),
    ("ordain/execution/commands.rb", source!("ruby/execution/commands.rb")),
    ("ordain/execution/helpers.rb", source!("ruby/execution/helpers.rb")),
    ("ordain/execution/symbolic_mode.rb", source!("ruby/execution/symbolic_mode.rb")),
    ("ordain/execution/settings.rb", source!("ruby/execution/settings.rb")),
    ("ordain/execution/catalog.rb", source!("ruby/execution/catalog.rb")),
    ("ordain/execution/core_types.rb", source!("ruby/execution/core_types.rb")),
    ("ordain/execution/transaction.rb", source!("ruby/execution/transaction.rb")),
    ("ordain/execution/generation.rb", source!("ruby/execution/generation.rb")),
    ("ordain/execution/redaction.rb", source!("ruby/execution/redaction.rb")),
    ("ordain/execution/requests.rb", source!("ruby/execution/requests.rb")),
    ("ordain/execution/later.rb", source!("ruby/execution/later.rb")),
    ("ordain/execution/main.rb", source!("ruby/execution/main.rb")),
];

/// The files of the provider process in Ruby that are evaluated when code uses something of them.
const LATER_FILES: &[(&str, &[u8])] = &[
    ("ordain/http", source!("ruby/http.rb")),
    ("ordain/functions", source!("ruby/functions.rb")),
    ("ordain/resource_api", source!("ruby/resource_api.rb")),
    ("ordain/execution/file_system", source!("ruby/execution/file_system.rb")),
    ("ordain/execution/file_types", source!("ruby/execution/file_types.rb")),
    ("ordain/execution/parsed_file", source!("ruby/execution/parsed_file.rb")),
    ("ordain/execution/ini_config", source!("ruby/execution/ini_config.rb")),
    ("ordain/execution/packages", source!("ruby/execution/packages.rb")),
    ("ordain/execution/name_services", source!("ruby/execution/name_services.rb")),
    ("ordain/execution/exec_provider", source!("ruby/execution/exec_provider.rb")),
    ("ordain/execution/data_types", source!("ruby/execution/data_types.rb")),
    ("ordain/execution/resource_api", source!("ruby/execution/resource_api.rb")),
    ("ordain/execution/network_device", source!("ruby/execution/network_device.rb")),
    ("ordain/execution/deferred", source!("ruby/execution/deferred.rb")),
    ("ordain/execution/utilities", source!("ruby/execution/utilities.rb")),
    ("ordain/execution/checksums", source!("ruby/execution/checksums.rb")),
    ("ordain/execution/confine", source!("ruby/execution/confine.rb")),
    ("ordain/execution/core_attributes", source!("ruby/execution/core_attributes.rb")),
    ("ordain/execution/network", source!("ruby/execution/network.rb")),
    ("ordain/execution/versions", source!("ruby/execution/versions.rb")),
    ("ordain/execution/package_type", source!("ruby/execution/package_type.rb")),
    ("ordain/execution/service_type", source!("ruby/execution/service_type.rb")),
];

/// Reads the files from standard input and runs them. Descendants do not inherit the input; they
/// read nothing.
const LOADER: &str = "\
input = $stdin.dup; input.binmode; input.close_on_exec = true; $stdin.reopen(File::NULL)
until (length = input.read(4).unpack1('N')).zero?
  name, text = input.read(length).force_encoding('UTF-8').split(\"\\n\", 2)
  eval(text, TOPLEVEL_BINDING.dup, name, 1)
end
Ordain.run(input)";

/// The same for the provider process. It keeps texts whose names have no extension for later.
const PROVIDER_LOADER: &str = "\
input = $stdin.dup; input.binmode; input.close_on_exec = true; $stdin.reopen(File::NULL)
until (length = input.read(4).unpack1('N')).zero?
  name, text = input.read(length).force_encoding('UTF-8').split(\"\\n\", 2)
  name.end_with?('.rb') ? eval(text, TOPLEVEL_BINDING.dup, name, 1) : Ordain::LATER[name] = text
end
Ordain::Execution.run(input)";

/// The Python modules by name. The first one is run, the others can be imported.
const MODULES: &[(&str, &[u8])] = &[
    ("ordain", source!("python/bridge.py")),
    ("inmanta", source!("python/inmanta/init.py")),
    ("inmanta._agent", source!("python/inmanta/agent_run.py")),
    ("inmanta._faults", source!("python/inmanta/faults.py")),
    ("inmanta._jinja", source!("python/inmanta/jinja.py")),
    ("inmanta._pairs", source!("python/inmanta/pairs.py")),
    ("inmanta._paths", source!("python/inmanta/paths.py")),
    ("inmanta._plans", source!("python/inmanta/plans.py")),
    ("inmanta._secrets", source!("python/inmanta/secrets.py")),
    ("inmanta._server", source!("python/inmanta/server.py")),
    ("inmanta.agent", source!("python/inmanta/agent.py")),
    ("inmanta.agent.agent", source!("python/inmanta/agent_agent.py")),
    ("inmanta.agent.cache", source!("python/inmanta/agent_cache.py")),
    ("inmanta.agent.config", source!("python/inmanta/agent_config.py")),
    ("inmanta.agent.executor", source!("python/inmanta/agent_agent.py")),
    ("inmanta.agent.handler", source!("python/inmanta/handler.py")),
    ("inmanta.agent.io", source!("python/inmanta/agent_io.py")),
    ("inmanta.agent.io.local", source!("python/inmanta/agent_io.py")),
    ("inmanta.ast", source!("python/inmanta/ast.py")),
    ("inmanta.ast.attribute", source!("python/inmanta/attribute.py")),
    ("inmanta.ast.entity", source!("python/inmanta/entity.py")),
    ("inmanta.ast.type", source!("python/inmanta/ast_type.py")),
    ("inmanta.compiler", source!("python/inmanta/compiler.py")),
    ("inmanta.config", source!("python/inmanta/config.py")),
    ("inmanta.const", source!("python/inmanta/const.py")),
    ("inmanta.data", source!("python/inmanta/data.py")),
    ("inmanta.data.model", source!("python/inmanta/model.py")),
    ("inmanta.execute", source!("python/inmanta/execute.py")),
    ("inmanta.execute.proxy", source!("python/inmanta/proxy.py")),
    ("inmanta.execute.runtime", source!("python/inmanta/runtime.py")),
    ("inmanta.execute.util", source!("python/inmanta/util_execute.py")),
    ("inmanta.export", source!("python/inmanta/export.py")),
    ("inmanta.module", source!("python/inmanta/module.py")),
    ("inmanta.plugins", source!("python/inmanta/plugins.py")),
    ("inmanta.protocol", source!("python/inmanta/protocol.py")),
    ("inmanta.protocol.common", source!("python/inmanta/protocol_common.py")),
    ("inmanta.protocol.endpoints", source!("python/inmanta/protocol_endpoints.py")),
    ("inmanta.references", source!("python/inmanta/references.py")),
    ("inmanta.resources", source!("python/inmanta/resources.py")),
    ("inmanta.stable_api", source!("python/inmanta/stable_api.py")),
    ("inmanta.types", source!("python/inmanta/types.py")),
    ("inmanta.util", source!("python/inmanta/util.py")),
    ("inmanta.util.dict_path", source!("python/inmanta/dict_path.py")),
    ("inmanta.validation_type", source!("python/inmanta/validation_type.py")),
    ("inmanta.warnings", source!("python/inmanta/warnings.py")),
    ("inmanta_plugins.std", source!("python/std/std.py")),
];

// Reads the modules from standard input and runs the first. The input is also the channel for
// answers. Descendants do not inherit it; they read nothing.
macro_rules! python_loader {
    ($end:literal) => {
        concat!(
            "\
import os,sys,struct,types
if sys.version_info<(3,8):
    sys.exit('Python 3.9 or later is needed, this is '+sys.version.split()[0])
source=os.dup(0)
os.dup2(os.open(os.devnull,os.O_RDONLY),0)
def read(n):
    d=b''
    while len(d)<n:
        p=os.read(source,n-len(d))
        if not p: os._exit(1)
        d+=p
    return d
found={}
while True:
    n,=struct.unpack('>I',read(4))
    if not n: break
    name,_,text=read(n).decode().partition('\\n')
    found[name]=text
bridge=sys.modules['ordain']=types.ModuleType('ordain')
text=found.pop('ordain')
limits=eval(found.pop('limits'))
exec(compile(text,'<ordain>','exec'),bridge.__dict__)
bridge.sources.update(found)
bridge.SECONDS=limits[0]
",
            $end
        )
    };
}

/// The loader of a process that compiles: it and its descendants are limited by the system.
const PYTHON_LOADER: &str = python_loader!(
    "import resource
resource.setrlimit(resource.RLIMIT_AS,(limits[1],limits[1]))
bridge.run(source)"
);

/// The loader of a process that deploys: a limit of the system would hold for the programs that it
/// starts, too, so it watches its own memory.
const PYTHON_PROVIDER_LOADER: &str =
    python_loader!("bridge.watch_memory(limits[1])\nbridge.run(source)");

/// The options of `ruby`, followed by the loader.
const RUBY_OPTIONS: [&str; 5] = ["-W0", "-EUTF-8:UTF-8", "--disable=gems,rubyopt", "-rjson", "-e"];

/// The arguments of the interpreter.
pub(crate) fn options(language: Language) -> Vec<&'static str> {
    match language {
        Language::Ruby => RUBY_OPTIONS.into_iter().chain([LOADER]).collect(),
        Language::Python => vec!["-X", "utf8", "-c", PYTHON_LOADER],
    }
}

/// The input of the loader.
pub(crate) fn program(language: Language, seconds: u32, memory: u64) -> Vec<u8> {
    match language {
        Language::Ruby => {
            let limits =
                format!("module Ordain\n  SECONDS = {seconds}\n  MEMORY = {memory}\nend\n");
            framed(("ordain/limits.rb", &limits), &[FILES])
        }
        Language::Python => framed(("limits", &format!("({seconds}, {memory})")), &[MODULES]),
    }
}

/// A program that runs providers of modules: it reads its code from standard input, a socket, and
/// then answers requests there.
#[derive(Clone, Debug)]
pub struct ProviderProgram {
    /// The language of the interpreter.
    pub language: Language,
    /// The arguments of the interpreter.
    pub options: Vec<&'static str>,
    /// The code.
    pub code: Vec<u8>,
}

impl ProviderProgram {
    /// The program for types and providers in Ruby. One request may take `seconds` per resource, and
    /// the process `memory` bytes.
    pub fn ruby(seconds: u32, memory: u64) -> Self {
        let limits = format!(
            "module Ordain\n  SECONDS = {seconds}\n  MEMORY = {memory}\n  LATER = {{}}\nend\n"
        );
        Self {
            language: Language::Ruby,
            options: RUBY_OPTIONS.into_iter().chain([PROVIDER_LOADER]).collect(),
            code: framed(("ordain/limits.rb", &limits), &[LATER_FILES, PROVIDER_FILES]),
        }
    }
}

impl ProviderProgram {
    /// The program for handlers in Python. One request may take `seconds` per resource, and the
    /// process `memory` bytes.
    pub fn python(seconds: u32, memory: u64) -> Self {
        let limits = format!("({seconds}, {memory})");
        Self {
            language: Language::Python,
            options: vec!["-X", "utf8", "-c", PYTHON_PROVIDER_LOADER],
            code: framed(("limits", &limits), &[MODULES]),
        }
    }
}

/// Named texts, each after its length, with the length zero at the end: the limits, and files.
#[expect(clippy::expect_used, reason = "the build has compressed the files, which are small")]
fn framed((name, limits): (&str, &str), lists: &[&[(&str, &[u8])]]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut add = |name: &str, text: &[u8]| {
        let length = u32::try_from(name.len() + 1 + text.len()).expect("our files are small");
        out.extend(length.to_be_bytes());
        out.extend(name.as_bytes());
        out.push(b'\n');
        out.extend(text);
    };
    add(name, limits.as_bytes());
    for (name, compressed) in lists.iter().copied().flatten() {
        add(name, &decompress_to_vec(compressed).expect("the build has compressed it"));
    }
    out.extend(0u32.to_be_bytes());
    out
}
