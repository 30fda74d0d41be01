# frozen_string_literal: true

# Compiles the catalogs of rspec-puppet with a resident `ordain`. Examples that replace code of Ruby
# are compiled by Puppet itself; their number and the reasons are printed at the end.

require 'rspec-puppet'
require 'ordain/rspec_puppet/catalog'
require 'ordain/rspec_puppet/compiler'
require 'ordain/rspec_puppet/facts'
require 'ordain/rspec_puppet/fallback'
require 'ordain/rspec_puppet/machine_facts'
require 'ordain/rspec_puppet/repeated'
require 'ordain/rspec_puppet/searches'
require 'ordain/rspec_puppet/setup'

module Ordain
  module RSpecPuppet
    # The number of compiles by each compiler, and the examples of each reason for a fallback.
    class Summary
      attr_reader :compiled, :reasons

      def initialize
        @compiled = 0
        @reasons = Hash.new { |all, reason| all[reason] = [] }
      end

      def compiled!
        @compiled += 1
      end

      def fell_back!(reason)
        example = ::RSpec.current_example
        @reasons[reason] << (example ? example.location : 'outside of an example')
      end

      def lines
        fallen = @reasons.values.sum(&:size)
        out = ["ordain compiled #{@compiled} catalogs, Ruby #{fallen}"]
        @reasons.sort.each do |reason, places|
          out << "  #{reason}: #{places.size}"
          places.tally.sort.each { |place, count| out << "    #{place}#{count > 1 ? " (#{count})" : ''}" }
        end
        out
      end
    end

    def self.summary
      @summary ||= Summary.new
    end

    # Replaces the method of rspec-puppet whose inputs are plain data.
    module Bridge
      def self.install(support)
        support.class_eval do
          alias_method :build_catalog_with_ruby, :build_catalog_without_cache_v2

          def build_catalog_without_cache_v2(**inputs)
            reason = Fallback.reason(inputs)
            if reason
              RSpecPuppet.summary.fell_back!(reason)
              return build_catalog_with_ruby(**inputs)
            end
            RSpecPuppet.summary.compiled!
            build_catalog_with_ordain(**inputs)
          end

          def build_catalog_with_ordain(
            nodename:, facts_val:, trusted_facts_val:, code:, node_params:,
            trusted_external_data: {}, **
          )
            # Types and providers read the facts when the catalog becomes one of the machine.
            ::Puppet.settings[:autosign] = false if ::Puppet.settings.include?(:autosign)
            MachineFacts.set(facts_val)
            ::Puppet::Type.eachtype { |type| type.defaultprovider = nil }
            environment = adapter.current_environment
            trusted = ::Puppet::Context::TrustedInformation.new(
              'remote', nodename, trusted_facts_val, trusted_external_data || {}
            )
            ::Puppet.push_context({ trusted_information: trusted }, 'Trusted data of the example')
            request = {
              code: code.to_s,
              node: nodename,
              environment: environment.name.to_s,
              modulepath: environment.modulepath.map(&:to_s),
              hiera: RSpecPuppet.hiera_config,
              facts: facts_val,
              trusted: trusted.to_h,
              server_facts: ::RSpec.configuration.trusted_server_facts ? server_facts_hash : {},
              parameters: node_params,
              strict_variables: ::Puppet[:strict_variables] ? true : false,
              strict: ::Puppet[:strict].to_s
            }
            catalog = Catalog.build(Compiler.instance.compile(request), environment)
            Catalog.resolve_deferred(catalog, ::Puppet::Node::Facts.new(nodename, facts_val.dup))
            catalog
          end
        end
      end
    end

    # The configuration of the global layer; Puppet ignores one that does not exist.
    def self.hiera_config
      path = ::Puppet[:hiera_config].to_s
      File.file?(path) ? path : nil
    end
  end
end

Ordain::RSpecPuppet::Fallback.watch
Ordain::RSpecPuppet::Bridge.install(RSpec::Puppet::Support)
Ordain::RSpecPuppet::Facts.install
Ordain::RSpecPuppet::Setup.install
Ordain::RSpecPuppet::Searches.install
Ordain::RSpecPuppet::Repeated.install
Ordain::RSpecPuppet::MachineFacts.install
RSpec::Puppet::Support.prepend(Ordain::RSpecPuppet::MachineFacts::Support)

RSpec.configure do |config|
  config.after(:suite) do
    Ordain::RSpecPuppet::Compiler.stop
    warn(Ordain::RSpecPuppet.summary.lines.join("\n"))
  end
end
