# Answers cases of Hiera with the installed Puppet, one case per line; `OPENVOX` may name a checkout
# of another release. The form of cases and answers is that of `__main__.py`.
if ENV['OPENVOX']
  require 'set'
  $LOAD_PATH.unshift File.join(ENV['OPENVOX'], 'lib')
end
require 'json'
require 'tmpdir'
require 'fileutils'
require 'puppet'
require 'puppet/pops'

WORK = Dir.mktmpdir('hiera')
at_exit { FileUtils.remove_entry(WORK) }
dirs = %w[confdir vardir codedir logdir rundir publicdir].flat_map { |name| ["--#{name}", "#{WORK}/etc"] }
Puppet.initialize_settings(dirs)
Puppet.push_context(Puppet.base_context(Puppet.settings), 'cases')
STRICT = { strict: Puppet[:strict], strict_variables: Puppet[:strict_variables] }.freeze

LOGS = []
Puppet::Util::Log.close_all
Puppet::Util::Log.newdesttype(:cases) do
  match 'Array'
  def initialize(list) = @list = list
  def handle(message) = @list << [message.level.to_s, message.message.to_s]
end
Puppet::Util::Log.newdestination(LOGS)
Puppet::Util::Log.level = :info

def shown(value)
  Puppet::Pops::Types::StringConverter.singleton.convert(value, '%p')
end

def explanation(scope, wanted)
  only_options = wanted['explain_options'] && !wanted['explain']
  explainer = Puppet::Pops::Lookup::Explainer.new(wanted['explain_options'] || false, only_options || false)
  invocation = Puppet::Pops::Lookup::Invocation.new(scope, {}, {}, explainer)
  begin
    Puppet::Pops::Lookup.lookup([wanted['key']], nil, nil, false, wanted['merge'], invocation)
  rescue Puppet::DataBinding::LookupError => e
    invocation.report_text { e.message }
  end
  explainer.explain
end

def looked_up(scope, wanted)
  return { 'ok' => true, 'value' => explanation(scope, wanted) } if wanted['key']

  value = Puppet::Pops::Parser::EvaluatingParser.new.evaluate_string(scope, wanted['code'])
  { 'ok' => true, 'value' => shown(value) }
rescue StandardError, SystemStackError => e
  { 'ok' => false, 'error' => e.message, 'class' => e.class.name, 'issue' => (e.issue_code if e.respond_to?(:issue_code)).to_s }
end

def answer(wanted, environment, case_)
  LOGS.clear
  $unique_warnings = {}
  node = Puppet::Node.new('test', environment: environment, facts: Puppet::Node::Facts.new('test', case_['facts']))
  node.merge(case_['facts'])
  node.trusted_data = { 'authenticated' => 'local', 'certname' => 'test', 'extensions' => {}, 'hostname' => 'test',
                        'domain' => nil, 'external' => {} }
  Puppet[:code] = case_['site'].to_s
  out = nil
  compiler = Puppet::Parser::Compiler.new(node)
  compiler.compile { |catalog| out = looked_up(compiler.topscope, wanted); catalog }
  out.merge('logs' => LOGS.dup)
rescue StandardError => e
  out || { 'ok' => false, 'error' => e.message, 'class' => e.class.name, 'logs' => LOGS.dup }
end

def answers(case_)
  top = Dir.mktmpdir('case', WORK)
  root = File.join(top, 'production')
  FileUtils.mkdir_p(root)
  case_['files'].each do |name, text|
    path = File.join(root, name)
    FileUtils.mkdir_p(File.dirname(path))
    File.write(path, text.gsub('<env>', root))
  end
  STRICT.each { |name, value| Puppet[name] = value }
  (case_['settings'] || {}).each { |name, value| Puppet[name.to_sym] = { 'true' => true, 'false' => false }.fetch(value, value.to_sym) }
  Puppet[:hiera_config] = File.join(root, 'global/hiera.yaml')
  loader = Puppet::Environments::Directories.new(top, [])
  all = case_['lookups'].map do |wanted|
    Puppet.override(environments: loader) do
      environment = loader.get(:production)
      Puppet.override(current_environment: environment) { answer(wanted, environment, case_) }
    end
  end
  JSON.parse(JSON.generate(all).gsub(root, '<env>').gsub("#{WORK}/etc/environments", '/etc/puppetlabs/code/environments'))
ensure
  FileUtils.rm_rf(top) if top
end

$stdout.sync = true
$stdin.each_line do |line|
  case_ = JSON.parse(line)
  puts JSON.generate('id' => case_['id'], 'answers' => answers(case_))
end
