# Takes stock of the resource types in Ruby of all modules in a directory: which of them load, which can be
# prepared with few attributes, and which can be compared with this machine.
#
# usage: ruby bench/module-types.rb MODULES
#
# Providers are only asked, but they run programs: use a container. Prints the numbers, and the reasons by frequency.
require 'json'
require_relative '../crates/plugins/tests/execution/harness'

class Stock
  # Names that types may accept, and attributes beside them.
  TITLES = ['a', '/tmp/a', 'a/b', 'a:b', 'a@b', 'a::b', '1.2.3.4', 'A'].freeze
  VALUES = [{}, { 'ensure' => 'present' }].freeze
  STAGES = %w[loads prepared suitable observed].freeze
  FACTS = {
    'os' => { 'family' => 'Debian', 'name' => 'Debian', 'release' => { 'full' => '12', 'major' => '12' } },
    'kernel' => 'Linux', 'networking' => { 'hostname' => 'web', 'fqdn' => 'web.example.org' },
    'identity' => { 'privileged' => true }
  }.freeze

  def initialize(directory)
    @modules = Dir.children(directory).sort.to_h { |name| [name, File.realpath(File.join(directory, name))] }
    @modules.select! { |_, path| File.directory?(path) }
    @answers = []
  end

  def run
    @modules.each do |name, path|
      Dir.glob(File.join(path, 'lib/puppet/type/*.rb')).sort.each { |file| @answers << examine(File.basename(file, '.rb'), name) }
    end
    print
  end

  private

  # The furthest stage that one of the attempts comes to, and why it stops there.
  def examine(type, of)
    process = open
    kind = process.ask('do' => 'kinds', 'names' => [type])&.dig('ok', 0)
    return [type, of, nil, reason(kind)] if kind.nil? || kind['error']

    first = nil
    TITLES.product(VALUES).each_with_index do |(title, values), index|
      stage, why = attempt(process, { 'id' => index, 'kind' => type, 'title' => title, 'values' => values })
      return [type, of, stage, why] unless stage == 'loads'

      first ||= why
    end
    [type, of, 'loads', first]
  ensure
    process&.finish
  end

  def open
    process = ProviderProcess.new(seconds: 20)
    process.ask({ 'do' => 'open', 'modules' => @modules, 'facts' => FACTS, 'debug' => false, 'settings' => {} })
    process
  end

  def rank(stage)
    stage ? STAGES.index(stage) : -1
  end

  def attempt(process, resource)
    made = process.ask('do' => 'prepare', 'graph' => resource['id'], 'resources' => [resource], 'others' => [])
    entry = made&.dig('ok', 0)
    return ['loads', reason(entry || made)] if entry.nil? || entry['error'] || !Array(entry['errors']).empty?
    return ['prepared', entry['unsuitable']] if entry['unsuitable']

    seen = process.ask('do' => 'observe', 'of' => [resource['id']])
    error = seen && (seen['error'] || seen.dig('ok', 0, 'error'))
    seen.nil? || error ? ['suitable', reason(seen && { 'error' => error })] : ['observed', nil]
  end

  def reason(answer)
    return 'the process has ended' if answer.nil?

    error = answer['error'] || Array(answer['errors']).first || answer
    text = error.is_a?(Hash) ? error['message'].to_s : error.to_s
    text.lines.first.to_s.strip
  end

  # A reason without names and values.
  def short(text)
    text.to_s.gsub(/0x\h+|[A-Z]\w*\[[^\]]*\]|'[^']*'|"[^"]*"|`[^`']*'|\S*\/\S+|\d+/, '…').gsub(/for #<.*/, 'for …')[0, 90]
  end

  def print
    count = ->(stage) { @answers.count { |answer| rank(answer[2]) >= STAGES.index(stage) } }
    puts "#{@modules.size} modules, #{@answers.map { |a| a[1] }.uniq.size} with types, #{@answers.size} types"
    STAGES.each { |stage| puts "#{stage}: #{count.(stage)}" }
    [nil, *STAGES[0..2]].each do |stage|
      stopped = @answers.select { |answer| answer[2] == stage }
      next if stopped.empty?

      puts "#{stopped.size} stop #{stage ? "after: #{stage}" : 'before they load'}"
      grouped = stopped.group_by { |answer| short(answer[3]) }.sort_by { |text, all| [-all.size, text] }
      grouped.each { |text, all| puts "  #{all.size}  #{text}  (#{all.first(3).map { |a| a[0] }.join(', ')})" }
    end
  end
end

Stock.new(ARGV.fetch(0)).run
