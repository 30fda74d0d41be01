//! The code for the child, which it gets at its start.

use crate::language::Language;

/// The files of the Ruby side in the order they are evaluated.
const FILES: &[(&str, &str)] = &[
    ("ordain/wire.rb", include_str!("../ruby/wire.rb")),
    ("ordain/shared_values.rb", include_str!("../ruby/shared_values.rb")),
    ("ordain/puppet.rb", include_str!("../ruby/puppet.rb")),
    ("ordain/pops.rb", include_str!("../ruby/pops.rb")),
    ("ordain/util.rb", include_str!("../ruby/util.rb")),
    ("ordain/http.rb", include_str!("../ruby/http.rb")),
    ("ordain/facter.rb", include_str!("../ruby/facter.rb")),
    ("ordain/functions.rb", include_str!("../ruby/functions.rb")),
    ("ordain/scope.rb", include_str!("../ruby/scope.rb")),
    ("ordain/templates.rb", include_str!("../ruby/templates.rb")),
    ("ordain/values.rb", include_str!("../ruby/values.rb")),
    ("ordain/parameters.rb", include_str!("../ruby/parameters.rb")),
    ("ordain/providers.rb", include_str!("../ruby/providers.rb")),
    ("ordain/provider_stubs.rb", include_str!("../ruby/provider_stubs.rb")),
    ("ordain/resources.rb", include_str!("../ruby/resources.rb")),
    ("ordain/outlines.rb", include_str!("../ruby/outlines.rb")),
    ("ordain/types.rb", include_str!("../ruby/types.rb")),
    ("ordain/hiera.rb", include_str!("../ruby/hiera.rb")),
    ("ordain/resource_api.rb", include_str!("../ruby/resource_api.rb")),
    ("ordain/processors.rb", include_str!("../ruby/processors.rb")),
    ("ordain/copies.rb", include_str!("../ruby/copies.rb")),
    ("ordain/main.rb", include_str!("../ruby/main.rb")),
];

/// The files of the provider process in Ruby, in the order they are evaluated.
const PROVIDER_FILES: &[(&str, &str)] = &[
    ("ordain/puppet.rb", include_str!("../ruby/puppet.rb")),
    ("ordain/execution/process.rb", include_str!("../ruby/execution/process.rb")),
    ("ordain/pops.rb", include_str!("../ruby/pops.rb")),
    ("ordain/util.rb", include_str!("../ruby/util.rb")),
    ("ordain/facter.rb", include_str!("../ruby/facter.rb")),
    ("ordain/values.rb", include_str!("../ruby/values.rb")),
    ("ordain/parameters.rb", include_str!("../ruby/parameters.rb")),
    ("ordain/providers.rb", include_str!("../ruby/providers.rb")),
    ("ordain/resources.rb", include_str!("../ruby/resources.rb")),
    ("ordain/types.rb", include_str!("../ruby/types.rb")),
    ("ordain/execution/values.rb", include_str!("../ruby/execution/values.rb")),
    ("ordain/execution/display.rb", include_str!("../ruby/execution/display.rb")),
    ("ordain/execution/resource.rb", include_str!("../ruby/execution/resource.rb")),
    ("ordain/execution/properties.rb", include_str!("../ruby/execution/properties.rb")),
    ("ordain/execution/providers.rb", include_str!("../ruby/execution/providers.rb")),
    ("ordain/execution/legacy_facts.rb", include_str!("../ruby/execution/legacy_facts.rb")),
    ("ordain/execution/custom_facts.rb", include_str!("../ruby/execution/custom_facts.rb")),
    ("ordain/execution/commands.rb", include_str!("../ruby/execution/commands.rb")),
    ("ordain/execution/helpers.rb", include_str!("../ruby/execution/helpers.rb")),
    ("ordain/execution/symbolic_mode.rb", include_str!("../ruby/execution/symbolic_mode.rb")),
    ("ordain/execution/settings.rb", include_str!("../ruby/execution/settings.rb")),
    ("ordain/execution/catalog.rb", include_str!("../ruby/execution/catalog.rb")),
    ("ordain/execution/core_types.rb", include_str!("../ruby/execution/core_types.rb")),
    ("ordain/execution/transaction.rb", include_str!("../ruby/execution/transaction.rb")),
    ("ordain/execution/generation.rb", include_str!("../ruby/execution/generation.rb")),
    ("ordain/execution/redaction.rb", include_str!("../ruby/execution/redaction.rb")),
    ("ordain/execution/requests.rb", include_str!("../ruby/execution/requests.rb")),
    ("ordain/execution/later.rb", include_str!("../ruby/execution/later.rb")),
    ("ordain/execution/main.rb", include_str!("../ruby/execution/main.rb")),
];

/// The files of the provider process in Ruby that are evaluated when code uses something of them.
const LATER_FILES: &[(&str, &str)] = &[
    ("ordain/http", include_str!("../ruby/http.rb")),
    ("ordain/functions", include_str!("../ruby/functions.rb")),
    ("ordain/resource_api", include_str!("../ruby/resource_api.rb")),
    ("ordain/execution/file_system", include_str!("../ruby/execution/file_system.rb")),
    ("ordain/execution/file_types", include_str!("../ruby/execution/file_types.rb")),
    ("ordain/execution/parsed_file", include_str!("../ruby/execution/parsed_file.rb")),
    ("ordain/execution/ini_config", include_str!("../ruby/execution/ini_config.rb")),
    ("ordain/execution/packages", include_str!("../ruby/execution/packages.rb")),
    ("ordain/execution/name_services", include_str!("../ruby/execution/name_services.rb")),
    ("ordain/execution/exec_provider", include_str!("../ruby/execution/exec_provider.rb")),
    ("ordain/execution/data_types", include_str!("../ruby/execution/data_types.rb")),
    ("ordain/execution/resource_api", include_str!("../ruby/execution/resource_api.rb")),
    ("ordain/execution/network_device", include_str!("../ruby/execution/network_device.rb")),
    ("ordain/execution/deferred", include_str!("../ruby/execution/deferred.rb")),
    ("ordain/execution/utilities", include_str!("../ruby/execution/utilities.rb")),
    ("ordain/execution/checksums", include_str!("../ruby/execution/checksums.rb")),
    ("ordain/execution/confine", include_str!("../ruby/execution/confine.rb")),
    ("ordain/execution/core_attributes", include_str!("../ruby/execution/core_attributes.rb")),
    ("ordain/execution/network", include_str!("../ruby/execution/network.rb")),
    ("ordain/execution/versions", include_str!("../ruby/execution/versions.rb")),
    ("ordain/execution/package_type", include_str!("../ruby/execution/package_type.rb")),
    ("ordain/execution/service_type", include_str!("../ruby/execution/service_type.rb")),
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
const MODULES: &[(&str, &str)] = &[
    ("ordain", include_str!("../python/bridge.py")),
    ("inmanta", include_str!("../python/inmanta/init.py")),
    ("inmanta._agent", include_str!("../python/inmanta/agent_run.py")),
    ("inmanta._faults", include_str!("../python/inmanta/faults.py")),
    ("inmanta._jinja", include_str!("../python/inmanta/jinja.py")),
    ("inmanta._pairs", include_str!("../python/inmanta/pairs.py")),
    ("inmanta._paths", include_str!("../python/inmanta/paths.py")),
    ("inmanta._plans", include_str!("../python/inmanta/plans.py")),
    ("inmanta._secrets", include_str!("../python/inmanta/secrets.py")),
    ("inmanta._server", include_str!("../python/inmanta/server.py")),
    ("inmanta.agent", include_str!("../python/inmanta/agent.py")),
    ("inmanta.agent.agent", include_str!("../python/inmanta/agent_agent.py")),
    ("inmanta.agent.cache", include_str!("../python/inmanta/agent_cache.py")),
    ("inmanta.agent.config", include_str!("../python/inmanta/agent_config.py")),
    ("inmanta.agent.executor", include_str!("../python/inmanta/agent_agent.py")),
    ("inmanta.agent.handler", include_str!("../python/inmanta/handler.py")),
    ("inmanta.agent.io", include_str!("../python/inmanta/agent_io.py")),
    ("inmanta.agent.io.local", include_str!("../python/inmanta/agent_io.py")),
    ("inmanta.ast", include_str!("../python/inmanta/ast.py")),
    ("inmanta.ast.attribute", include_str!("../python/inmanta/attribute.py")),
    ("inmanta.ast.entity", include_str!("../python/inmanta/entity.py")),
    ("inmanta.ast.type", include_str!("../python/inmanta/ast_type.py")),
    ("inmanta.compiler", include_str!("../python/inmanta/compiler.py")),
    ("inmanta.config", include_str!("../python/inmanta/config.py")),
    ("inmanta.const", include_str!("../python/inmanta/const.py")),
    ("inmanta.data", include_str!("../python/inmanta/data.py")),
    ("inmanta.data.model", include_str!("../python/inmanta/model.py")),
    ("inmanta.execute", include_str!("../python/inmanta/execute.py")),
    ("inmanta.execute.proxy", include_str!("../python/inmanta/proxy.py")),
    ("inmanta.execute.runtime", include_str!("../python/inmanta/runtime.py")),
    ("inmanta.execute.util", include_str!("../python/inmanta/util_execute.py")),
    ("inmanta.export", include_str!("../python/inmanta/export.py")),
    ("inmanta.module", include_str!("../python/inmanta/module.py")),
    ("inmanta.plugins", include_str!("../python/inmanta/plugins.py")),
    ("inmanta.protocol", include_str!("../python/inmanta/protocol.py")),
    ("inmanta.protocol.common", include_str!("../python/inmanta/protocol_common.py")),
    ("inmanta.protocol.endpoints", include_str!("../python/inmanta/protocol_endpoints.py")),
    ("inmanta.references", include_str!("../python/inmanta/references.py")),
    ("inmanta.resources", include_str!("../python/inmanta/resources.py")),
    ("inmanta.stable_api", include_str!("../python/inmanta/stable_api.py")),
    ("inmanta.types", include_str!("../python/inmanta/types.py")),
    ("inmanta.util", include_str!("../python/inmanta/util.py")),
    ("inmanta.util.dict_path", include_str!("../python/inmanta/dict_path.py")),
    ("inmanta.validation_type", include_str!("../python/inmanta/validation_type.py")),
    ("inmanta.warnings", include_str!("../python/inmanta/warnings.py")),
    ("inmanta_plugins.std", include_str!("../python/std/std.py")),
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
            framed(&[&[("ordain/limits.rb", &limits)], FILES])
        }
        Language::Python => framed(&[&[("limits", &format!("({seconds}, {memory})"))], MODULES]),
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
            code: framed(&[&[("ordain/limits.rb", &limits)], LATER_FILES, PROVIDER_FILES]),
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
            code: framed(&[&[("limits", &limits)], MODULES]),
        }
    }
}

/// Named texts, each after its length, with the length zero at the end.
#[expect(clippy::expect_used, reason = "the files are small")]
fn framed(lists: &[&[(&str, &str)]]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, text) in lists.iter().copied().flatten() {
        let length = u32::try_from(name.len() + 1 + text.len()).expect("our files are small");
        out.extend(length.to_be_bytes());
        out.extend(name.as_bytes());
        out.push(b'\n');
        out.extend(text.as_bytes());
    }
    out.extend(0u32.to_be_bytes());
    out
}
