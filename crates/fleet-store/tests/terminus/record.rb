# Compiles manifests with Puppet and passes catalogs, facts and reports to PuppetDB's terminus.
# Prints a JSON object: for each manifest the catalog as an agent gets it, the exported resources
# that were not collected, and the commands that the terminus would send.
#
#   ruby record.rb FACTS.json REPORT.yaml MANIFEST...
require 'json'
require 'tmpdir'
require 'puppet'
require 'puppet/indirector/catalog/puppetdb'
require 'puppet/indirector/facts/puppetdb'
require 'puppet/reports/puppetdb'

CERTNAME = 'node.example.com'.freeze
TIME = Time.utc(2026, 11, 26, 12, 0, 0)
RUN = '8d1ff014-5d4c-4b0b-ae3c-59ae6b5ed3a5'.freeze

def compile(path, facts)
  environment = Puppet::Node::Environment.create(:production, ['/usr/share/puppet/modules'], path)
  loaders = Puppet::Pops::Loaders.new(environment)
  environments = Puppet::Environments::Static.new(environment)
  context = { current_environment: environment, loaders: loaders, environments: environments,
              rich_data: true }
  Puppet.override(context) do
    node = Puppet::Node.new(CERTNAME, environment: environment,
                                      facts: Puppet::Node::Facts.new(CERTNAME, facts))
    node.merge(facts)
    catalog = Puppet::Parser::Compiler.compile(node)
    catalog.catalog_uuid = '11111111-2222-3333-4444-555555555555'
    catalog.version = 1764158400
    agent = catalog.filter(&:virtual?).to_data_hash
    everything = catalog.to_data_hash
    virtual = everything['resources'].select do |resource|
      real = catalog.resource(resource['type'], resource['title'])
      real && real.virtual?
    end
    references = virtual.map { |r| "#{r['type']}[#{r['title']}]" }
    edges = everything['edges'].select { |edge| references.include?(edge['target']) }
    terminus = Puppet::Resource::Catalog::Puppetdb.new
    begin
      command, = terminus.munge_catalog(catalog, TIME, transaction_uuid: RUN, job_id: 7,
                                                       environment: 'production')
    rescue StandardError => e
      error = e.message
    end
    { catalog: agent, virtual: virtual, edges: edges, command: command, error: error }
  end
end

# Keeps the payload instead of sending it.
class Puppet::Node::Facts::Puppetdb
  attr_reader :sent

  def submit_command(*)
    @sent = yield
  end
end

Dir.mktmpdir do |dir|
  Puppet.initialize_settings(['--confdir', dir, '--vardir', "#{dir}/var", '--node_name_value',
                              'server.example.com'])
  Puppet::Util::Log.level = :err
  facts = JSON.parse(File.read(ARGV.shift))
  report = Puppet::Transaction::Report.convert_from(:yaml, File.read(ARGV.shift))
  out = { catalogs: {} }
  ARGV.each { |path| out[:catalogs][File.basename(path, '.pp')] = compile(path, facts) }
  Puppet.override(trusted_information: Puppet::Context::TrustedInformation.new('remote', CERTNAME, {})) do
    recorder = Puppet::Node::Facts::Puppetdb.new
    node_facts = Puppet::Node::Facts.new(CERTNAME, facts)
    request = Puppet::Indirector::Request.new(:facts, :save, CERTNAME, node_facts,
                                              environment: 'production')
    recorder.save(request)
    out[:facts] = { values: facts, command: recorder.sent }
  end
  report.extend(Puppet::Reports.report(:puppetdb))
  out[:report] = { report: report.to_data_hash, command: report.report_to_hash(TIME) }
  puts JSON.pretty_generate(out)
end
