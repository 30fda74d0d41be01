# Measures the real Puppet in one warm process; prints one JSON object a line.
#
#   ruby puppet.rb compile MANIFEST RUNS                     compile and write the catalog as JSON
#   ruby puppet.rb parse PATH RUNS                           parse and validate, all files below a directory
#   ruby puppet.rb environment DIR FACTS RUNS [CATALOG]      compile an environment for the node NAME of
#                                                            FACTS, a file NAME.json; keep the catalog
#   ruby puppet.rb environments DIR NAME RUNS                find an environment among those of a directory
#   ruby puppet.rb memory DIR FACTS RUNS                     compile as `environment` does; the memory after
#                                                            each run, in kB
#
# A compile keeps its environment, as a server does: files are parsed in the first run only. One of an
# environment reads the facts of the node from a file and writes the catalog to another, as ours does.
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

# Compiles a node in a cached environment; returns the catalog.
def compile(node)
  catalog = Puppet::Parser::Compiler.compile(node).filter(&:virtual?)
  [catalog, Puppet.override(rich_data: true) { catalog.to_json }]
end

verb, path, *rest = ARGV
runs = Integer(rest[%w[environment environments memory].include?(verb) ? 1 : 0])
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
    environment = Puppet::Node::Environment.create(:production, [], path)
    loaders = Puppet::Pops::Loaders.new(environment)
    Puppet.override(current_environment: environment, loaders: loaders) do
      measure(runs) do
        node = Puppet::Node.new('bench.example.org', environment: environment)
        node.merge({})
        Puppet::Parser::Compiler.compile(node).to_json.bytesize
      end
    end
  when 'environments'
    Puppet[:environmentpath] = path
    Puppet.push_context(Puppet.base_context(Puppet.settings), 'benchmark')
    measure(runs) do
      environments = Puppet.lookup(:environments)
      environments.clear_all
      environments.get!(rest[0]).modules.size
    end
  when 'environment', 'memory'
    name = File.basename(rest[0], '.json')
    Puppet[:environmentpath] = File.dirname(path)
    Puppet[:environment_timeout] = 'unlimited'
    Puppet.push_context(Puppet.base_context(Puppet.settings), 'benchmark')
    environment = Puppet.lookup(:environments).get!(File.basename(path))
    written = nil
    Puppet.override(current_environment: environment) do
      measure(runs) do
        facts = JSON.parse(File.read(rest[0]))
        node = Puppet::Node.new(name, environment: environment, facts: Puppet::Node::Facts.new(name, facts))
        node.merge(facts)
        node.trusted_data = { 'authenticated' => 'local', 'certname' => name, 'extensions' => {} }
        catalog, written = compile(node)
        File.write(File.join(work, "#{name}.json"), written)
        next catalog.resources.size unless verb == 'memory'

        GC.start
        Integer(File.read('/proc/self/status')[/VmRSS:\s+(\d+)/, 1])
      end
    end
    File.write(rest[2], written) unless rest[2].to_s.empty?
  when 'parse'
    paths = File.directory?(path) ? Dir.glob("#{path}/**/*.pp").sort : [path]
    measure(runs) do
      paths.sum do |file|
        text = File.read(file, encoding: 'UTF-8')
        Puppet::Pops::Parser::EvaluatingParser.new.parse_string(text, file)
        text.bytesize
      end
    end
  else
    abort 'usage: puppet.rb compile|parse|environment ...'
  end
rescue Puppet::Error => e
  abort e.message
ensure
  FileUtils.remove_entry(work)
end
