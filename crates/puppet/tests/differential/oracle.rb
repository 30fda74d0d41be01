# Answers for the differential tests: a node a line in, its catalog or error a line out, as JSON.
#
# Request: {dir, code, node, facts, trusted, classes, parameters}; `dir` is the directory of an environment, `code` stands
# in for its manifests if it is there. Answer: {catalog} or {error, issue, line}, and {logs}.
# PUPPET_LIB names the lib directory of a Puppet to use instead of the installed one.
$LOAD_PATH.unshift(ENV['PUPPET_LIB']) if ENV['PUPPET_LIB']
require 'set'
require 'json'
require 'tmpdir'
require 'puppet'

home = Dir.mktmpdir
at_exit { FileUtils.remove_entry(home) }
Puppet.initialize_settings(%w[conf var code log run].zip(%w[confdir vardir codedir logdir rundir]).flat_map do |dir, setting|
  ["--#{setting}", File.join(home, dir)]
end)
Puppet[:strict] = :error
Puppet[:strict_variables] = true
Puppet[:hiera_config] = File.join(home, 'hiera.yaml')
Puppet.push_context(Puppet.base_context(Puppet.settings))

messages = []
Puppet::Util::Log.close_all
Puppet::Util::Log.newdestination(Puppet::Test::LogCollector.new(messages))
Puppet::Util::Log.level = :info

def node(request, environment)
  facts = Puppet::Node::Facts.new(request['node'], request['facts'] || {})
  node = Puppet::Node.new(request['node'], environment: environment, facts: facts, classes: request['classes'] || {})
  node.merge(facts.values)
  (request['parameters'] || {}).each { |name, value| node.parameters[name] = value }
  node.trusted_data = request['trusted'] if request['trusted']
  node
end

def answer(request)
  dir = request['dir']
  loader = Puppet::Environments::Directories.new(File.dirname(dir), [])
  Puppet[:code] = request['code'] || ''
  Puppet.override(environments: loader) do
    environment = loader.get!(File.basename(dir))
    Puppet.override(current_environment: environment) do
      catalog = Puppet::Parser::Compiler.compile(node(request, environment)).filter(&:virtual?)
      { catalog: Puppet.override(rich_data: true) { catalog.to_data_hash } }
    end
  end
rescue StandardError, SystemStackError => e
  issue = e.issue_code if e.respond_to?(:issue_code)
  line = e.line if e.respond_to?(:line)
  { error: e.message.to_s.scrub, issue: issue, line: line }
end

$stdout.sync = true
$stdin.each_line do |line|
  messages.clear
  result = answer(JSON.parse(line))
  logs = messages.map { |log| [log.level, log.message.to_s.scrub] }
  puts JSON.generate(result.merge(logs: logs, version: Puppet.version))
end
