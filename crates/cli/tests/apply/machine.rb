# Applies a manifest with Puppet or with Ordain on a copy of this machine, one case per line: JSON
# in, JSON out.
#
# Request: {name, side, manifest, setup, between, teardown, options, ordain, modules, installed, queries,
# network, public}. `setup`, `between` and `teardown` are shell scripts that run before the first run,
# before the second one, and at the end; with `installed` Ordain sees the modules that are installed
# with Puppet, too; with `network` the machine has a network of its own; `public` is the directory of
# a module that Puppet also sees. Answer: a list with an object for each of two runs: {exit,
# resources, logs, tree, queries}.
#
# The copy is an overlay of the root directory, in a mount namespace and with an upper layer in
# memory: it ends with the process. The upper layer contains the changes of a case.
require 'json'
require 'digest'
require 'fileutils'
require 'tmpdir'
require 'facter'
require 'puppet'
require 'puppet/application/apply'
require 'puppet/configurer'
require 'puppet/util/command_line'
require 'puppet/transaction/report'

# The answers, separate from everything else on standard output.
ANSWERS = $stdout.dup
$stdout.reopen('/dev/null')
$stderr.reopen('/dev/null') unless ENV['ORDAIN_PEER_DEBUG']

# Facts are collected once, because they take longer than most cases.
FACTS = %w[
  os kernel osfamily operatingsystem operatingsystemrelease operatingsystemmajrelease selinux
].to_h { |name| [name, Facter.value(name)] }
FACTS['networking'] = { 'fqdn' => 'machine' }

# Loaded before the cases are forked, which would otherwise load them again.
require 'puppet/pops'
require 'puppet/parser'
$LOAD_PATH.concat(Dir['/usr/share/puppet/modules/*_core/lib'])
%w[cron exec file filebucket group host notify package schedule service user whit].each do |kind|
  require "puppet/type/#{kind}"
end

# Keeps the report of a run.
module Remember
  def finalize_report
    super
    $report = self
  end
end
Puppet::Transaction::Report.prepend(Remember)

# Puppet notes each file that it loads among Ruby's own features. Ruby then resolves the paths of all
# features again, which would take most of the time of a run.
module LeaveFeatures
  def mark_loaded(name, file)
    loaded[cleanpath(name).chomp('.rb')] = [file, File.mtime(file)]
  end
end
Puppet::Util::Autoload.singleton_class.prepend(LeaveFeatures)

UNSHARE = 272
NEW_MOUNTS = 0x20000
NEW_NETWORK = 0x40000000
# The files that either program keeps for itself, or that contain times.
OWN = %w[
  /.program /etc/puppet /run /var/log /var/cache /var/lib/ordain /var/lib/puppet /var/lib/apt/lists
  /root/.puppetlabs /var/lib/dpkg/lock /var/lib/dpkg/lock-frontend /var/lib/dpkg/triggers /var/lib/dnf
  /var/lib/rpm
].freeze
OLD = %r{(-old|\.lock|/etc/(passwd|group|shadow|gshadow|subuid|subgid)-)\z}
# The modules that are installed with Puppet.
INSTALLED = '/usr/share/puppet/modules'
# Lines with the time, or the program that wrote the file.
HEADER = /^# (HEADER: |\(- installed on).*\n/

# The resources of every Puppet catalog.
BUILT_IN = /\A(Schedule\[(puppet|hourly|daily|weekly|monthly|never)\]|Filebucket\[puppet\]|Whit\[)/
NOT_RUN = %w[skipped-for-failure filtered stopped].freeze

def mount(*arguments)
  system('mount', *arguments, exception: true)
end

# Moves this process into a copy of the machine; returns the upper layer.
def enter(base, request)
  ordain, modules = request.values_at('ordain', 'modules')
  syscall(UNSHARE, NEW_MOUNTS | (request['network'] ? NEW_NETWORK : 0))
  mount('--make-rprivate', '/')
  mount('-t', 'tmpfs', 'none', base)
  upper, work, merged = %w[upper work merged].map { |name| File.join(base, name).tap { |d| Dir.mkdir(d) } }
  mount('-t', 'overlay', 'none', '-o', "lowerdir=/,upperdir=#{upper},workdir=#{work}", merged)
  mount('-t', 'tmpfs', '-o', 'mode=1777', 'none', File.join(merged, 'tmp'))
  mount('-t', 'tmpfs', 'none', File.join(merged, 'run'))
  mount('-t', 'proc', 'none', File.join(merged, 'proc'))
  mount('--rbind', '/dev', File.join(merged, 'dev'))
  { upper => '.upper', '/' => '.lower' }.each do |from, name|
    Dir.mkdir(File.join(merged, name))
    mount('--bind', from, File.join(merged, name))
  end
  program = File.join(merged, '.program')
  Dir.mkdir(program)
  # The program is large, and they may be below a directory that the copy replaces.
  FileUtils.touch(File.join(program, 'ordain'))
  mount('--bind', ordain, File.join(program, 'ordain'))
  directories = { 'modules' => modules, 'public' => request['public'], 'resource_api' => newer_library(request['public']) }
  directories.compact.each do |name, from|
    place = File.join(program, name, *(File.basename(from) if name == 'public'))
    FileUtils.mkdir_p(place)
    mount('--bind', from, place)
  end
  Dir.chroot(merged)
  Dir.chdir('/')
  '/.upper'
end

# The library for the Resource API beside a public module: the one that is installed with Puppet may be too old.
def newer_library(public)
  library = File.join(File.dirname(public), 'resource_api') if public
  library if library && File.directory?(library)
end

def shell(script)
  return if script.nil? || script.empty?

  output = IO.popen(['/bin/sh', '-ec', script, err: %i[child out]], &:read)
  raise "setup: #{output}" unless $?.success?
end

def content(path)
  bytes = File.binread(path)
  text = bytes.dup.force_encoding('UTF-8')
  text.valid_encoding? && bytes.size <= 16_384 ? text.gsub(HEADER, '') : Digest::SHA256.hexdigest(bytes)
end

def describe(path, stat)
  owner = format('%04o %d:%d', stat.mode & 0o7777, stat.uid, stat.gid)
  case stat.ftype
  when 'file' then "file #{owner} #{content(path)}"
  when 'link' then "link #{stat.uid}:#{stat.gid} #{File.readlink(path)}"
  when 'characterSpecial' then stat.rdev.zero? ? 'removed' : "device #{owner}"
  else "#{stat.ftype} #{owner}"
  end
end

# The state of a path on the original machine.
def before(path)
  describe("/.lower#{path}", File.lstat("/.lower#{path}"))
rescue Errno::ENOENT, Errno::ENOTDIR
  nil
end

# What git keeps that depends on the time and on the order of its work.
OF_GIT = %w[index logs objects packed-refs FETCH_HEAD ORIG_HEAD COMMIT_EDITMSG].freeze

def repository?(directory)
  %w[HEAD objects refs].all? { |name| File.exist?(File.join(directory, name)) }
end

# Every path that differs from the machine.
def tree(upper)
  found = {}
  todo = ['/']
  until todo.empty?
    below = todo.pop
    skipped = repository?(File.join(upper, below)) ? OF_GIT : []
    Dir.children(File.join(upper, below)).sort.each do |name|
      path = File.join(below, name)
      next if skipped.include?(name) || path.end_with?('/refs/remotes')
      next if OWN.include?(path) || %w[/.upper /.lower /tmp /proc /dev].include?(path) || path =~ OLD

      stat = File.lstat(upper + path)
      todo << path if stat.directory?
      now = describe(upper + path, stat)
      found[path] = now unless now == before(path)
    end
  end
  found
end

# Runs a block in a child process; returns its result.
def in_child
  reader, writer = IO.pipe(binmode: true)
  pid = fork do
    reader.close
    begin
      answer = yield
    rescue Exception => e # rubocop:disable Lint/RescueException
      answer = { error: "#{e.class}: #{e.message}\n#{e.backtrace.first(8).join("\n")}" }
    end
    writer.write(JSON.generate(answer))
    writer.close
    Process.exit!(0)
  end
  writer.close
  text = reader.read
  Process.wait(pid)
  JSON.parse(text.force_encoding('UTF-8').scrub)
end

def quiet
  $stdout.reopen('/dev/null')
  $stderr.reopen('/.program/errors')
end

def puppet_arguments(request)
  dirs = %w[conf var code log run].zip(%w[confdir vardir codedir logdir rundir])
  dirs.flat_map { |dir, setting| ["--#{setting}", "/.program/#{dir}"] } +
    ['--modulepath', "/.program/modules:/.program/public:#{INSTALLED}"] +
    ['--detailed-exitcodes', '--log_level', 'notice', *request['options'], '/.program/case.pp']
end

def with_puppet(request)
  in_child do
    quiet
    # Providers of public modules ask for facts of their module.
    public = request['public']
    Facter.search("/.program/public/#{File.basename(public)}/lib/facter") if public
    $LOAD_PATH.unshift('/.program/resource_api/lib') if File.directory?('/.program/resource_api')
    facts = Puppet::Node::Facts.new('machine', FACTS)
    require 'puppet/indirector/facts/facter'
    Puppet::Node::Facts::Facter.define_method(:find) { |_| facts }
    status = begin
      Puppet::Util::CommandLine.new('puppet', ['apply', *puppet_arguments(request)]).execute
    rescue SystemExit => e
      e.status
    end
    { exit: status, report: $report && $report.to_data_hash }
  end
end

def puppet_run(request)
  result = with_puppet(request)
  return result if result['error']

  report = result['report']
  return refused(result['exit']) unless report

  statuses = report['resource_statuses'].reject { |name, _| BUILT_IN.match?(name) }
  resources = statuses.transform_values { |status| puppet_status(status) }
  logs = report['logs'].reject { |log| puppet_noise?(log) }
  logs = logs.map { |log| log_line(log['level'], log['source'].sub(/\APuppet\z/, ''), log['message']) }
  { exit: result['exit'], resources: resources, logs: logs.uniq }
end

# Messages about the run as a whole, duplicates, and messages of containers without effect.
def puppet_noise?(log)
  case log['source']
  when 'Puppet' then log['level'] == 'err' || log['message'] =~ /\A(Applied|Compiled) catalog/
  when %r{\A/Stage} then false
  else log['message'].start_with?('Would have triggered')
  end
end

# A log line; the wording of errors differs between the programs.
def log_line(level, source, message)
  [level, source, level == 'err' ? '' : message]
end

def puppet_status(status)
  word = if status['failed'] || status['failed_to_restart'] then 'failed'
         elsif status['skipped'] then 'skipped'
         elsif status['changed'] then 'changed'
         elsif status['out_of_sync'] || status['events'].any? { |e| e['status'] == 'noop' } then 'would-change'
         else 'in-place'
         end
  refreshes, changes = status['events'].partition { |event| event['message'].start_with?("Triggered 'refresh'") }
  { status: word, refreshed: !refreshes.empty?, properties: changes.map { |e| e['property'] }.compact }
end

def ordain_run(request)
  command = ['/.program/ordain', 'apply', '/.program/case.pp', '--format', 'json',
             '--modulepath', ['/.program/modules', *(INSTALLED if request['installed'])].join(':'),
             '--state-dir', '/var/lib/ordain', '--facts', '/.program/facts.json',
             *request['options'].map { |o| o.sub('skip_tags', 'skip-tags') }]
  output = IO.popen([*command, err: '/.program/errors'], &:read)
  status = $?.exitstatus || 128 + $?.termsig
  report = JSON.parse(output)
  resources = report['resources'].to_h { |resource| [resource['resource'], ordain_status(resource)] }
  logs = report['resources'].flat_map { |resource| resource['logs'] }
  logs = logs.reject { |log| %w[debug info].include?(log['log']) }
  logs = logs.map { |log| log_line(log['log'], log['source'], log['message']) }
  { exit: status, resources: resources, logs: logs.uniq }
rescue JSON::ParserError
  refused(status)
end

# A run that ended before its first resource: the wording of the reason differs.
def refused(status)
  raise "no error is told: #{File.read('/.program/errors')}" unless File.read('/.program/errors') =~ /error/i

  { exit: status, resources: {}, logs: [['err', '', '']] }
end

def ordain_status(resource)
  word = NOT_RUN.include?(resource['status']) ? 'skipped' : resource['status']
  # Only the log shows that it would have acted.
  word = 'in-place' if word == 'would-change' && resource['changes'].empty?
  { status: word, refreshed: word == 'changed' && resource['refreshed'],
    properties: resource['changes'].map { |change| change['property'] } }
end

def answer(request)
  base = Dir.mktmpdir('ordain-apply')
  in_child { runs(request, enter(base, request)) }
ensure
  Dir.rmdir(base)
end

def runs(request, upper)
  File.write('/.program/case.pp', request['manifest'])
  File.write('/.program/facts.json', JSON.generate(FACTS))
  Dir.mkdir('/w')
  shell(request['setup'])
  side = method("#{request['side']}_run")
  [nil, request['between']].map do |script|
    shell(script)
    side.call(request).merge(tree: tree(upper), queries: queries(request))
  end
ensure
  shell(request['teardown'])
end

def queries(request)
  (request['queries'] || []).map { |script| IO.popen(['/bin/sh', '-c', script, err: %i[child out]], &:read) }
end

ANSWERS.sync = true
$stdin.each_line do |line|
  ANSWERS.puts JSON.generate(answer(JSON.parse(line)))
end
