//! The Ruby side, sent to the child when it starts.

/// The files of the Ruby side in the order they are evaluated.
const FILES: &[(&str, &str)] = &[
    ("ordain/wire.rb", include_str!("../ruby/wire.rb")),
    ("ordain/puppet.rb", include_str!("../ruby/puppet.rb")),
    ("ordain/pops.rb", include_str!("../ruby/pops.rb")),
    ("ordain/util.rb", include_str!("../ruby/util.rb")),
    ("ordain/facter.rb", include_str!("../ruby/facter.rb")),
    ("ordain/functions.rb", include_str!("../ruby/functions.rb")),
    ("ordain/scope.rb", include_str!("../ruby/scope.rb")),
    ("ordain/templates.rb", include_str!("../ruby/templates.rb")),
    ("ordain/values.rb", include_str!("../ruby/values.rb")),
    ("ordain/parameters.rb", include_str!("../ruby/parameters.rb")),
    ("ordain/providers.rb", include_str!("../ruby/providers.rb")),
    ("ordain/resources.rb", include_str!("../ruby/resources.rb")),
    ("ordain/outlines.rb", include_str!("../ruby/outlines.rb")),
    ("ordain/types.rb", include_str!("../ruby/types.rb")),
    ("ordain/resource_api.rb", include_str!("../ruby/resource_api.rb")),
    ("ordain/main.rb", include_str!("../ruby/main.rb")),
];

/// Reads the files from standard input and runs them. The input stays known to this process alone:
/// what it runs itself reads nothing.
pub(crate) const LOADER: &str = "\
input = $stdin.dup; input.binmode; input.close_on_exec = true; $stdin.reopen(File::NULL)
until (length = input.read(4).unpack1('N')).zero?
  name, text = input.read(length).force_encoding('UTF-8').split(\"\\n\", 2)
  eval(text, TOPLEVEL_BINDING.dup, name, 1)
end
Ordain.run(input)";

/// What the loader reads.
pub(crate) fn program(seconds: u32, memory: u64) -> Vec<u8> {
    let limits = format!("module Ordain\n  SECONDS = {seconds}\n  MEMORY = {memory}\nend\n");
    let mut out = Vec::new();
    let limits = ("ordain/limits.rb", limits.as_str());
    for (name, text) in std::iter::once(limits).chain(FILES.iter().copied()) {
        let length = u32::try_from(name.len() + 1 + text.len()).expect("our files are small");
        out.extend(length.to_be_bytes());
        out.extend(name.as_bytes());
        out.push(b'\n');
        out.extend(text.as_bytes());
    }
    out.extend(0u32.to_be_bytes());
    out
}
