# Measures the real Puppet in one warm process; prints one JSON object a line.
#
#   ruby puppet.rb compile MANIFEST RUNS   compile and write the catalog as JSON
#   ruby puppet.rb parse MANIFEST RUNS     parse and validate
#
# A compile keeps its environment, as a server does: the manifest is parsed in the first run only.
require 'json'
require 'tmpdir'
require 'puppet'
require 'puppet/pops'

def cpu
  times = Process.times
  times.utime + times.stime
end

def measure(runs)
  runs.times do |run|
    before = cpu
    size = yield
    puts JSON.generate('run' => run, 'cpu' => cpu - before, 'size' => size)
  end
end

verb, manifest, runs = ARGV
runs = Integer(runs)
work = Dir.mktmpdir
begin
  dirs = %w[confdir vardir codedir publicdir].flat_map { |name| ["--#{name}", work] }
  known = Puppet.settings.respond_to?(:initialize_app_defaults)
  dirs -= ['--publicdir', work] unless known && Puppet.settings.setting(:publicdir)
  Puppet.initialize_settings(dirs)
  Puppet[:strict] = :warning
  Puppet::Util::Log.level = :err

  case verb
  when 'compile'
    environment = Puppet::Node::Environment.create(:production, [], manifest)
    loaders = Puppet::Pops::Loaders.new(environment)
    Puppet.override(current_environment: environment, loaders: loaders) do
      measure(runs) do
        node = Puppet::Node.new('bench.example.org', environment: environment)
        node.merge({})
        Puppet::Parser::Compiler.compile(node).to_json.bytesize
      end
    end
  when 'parse'
    text = File.read(manifest)
    measure(runs) do
      Puppet::Pops::Parser::EvaluatingParser.new.parse_string(text, manifest)
      text.bytesize
    end
  else
    abort 'usage: puppet.rb compile|parse MANIFEST RUNS'
  end
ensure
  FileUtils.remove_entry(work)
end
