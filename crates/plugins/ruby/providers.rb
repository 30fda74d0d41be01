# Providers of resource types: their definitions, which determine the provider of a resource, its features,
# and its documentation.
module Puppet
  module Util
    # The features of the providers of a type.
    module ProviderFeatures
      Feature = Struct.new(:name, :docs, :methods) do
        def available?(provider)
          known = ->(name) { provider.is_a?(Class) ? provider.public_method_defined?(name) : provider.respond_to?(name) }
          !methods.nil? && methods.all?(&known)
        end
      end

      def feature(name, docs, options = {})
        made = declared_features[name.to_sym] = Feature.new(name.to_sym, docs, options[:methods])
        query(@feature_module, made) if @feature_module
      end

      def features
        declared_features.keys
      end

      def provider_feature(name)
        declared_features[name]
      end

      def declared_features
        @features ||= {}
      end

      # Queries of the features of a provider or its class. Code may declare features later too.
      def feature_module
        @feature_module ||= begin
          known = declared_features
          made = ::Module.new do
            define_method(:feature?) { |name| known.key?(name.to_sym) && !!public_send("#{name}?") }
            define_method(:features) { known.keys.select { |name| feature?(name) }.sort_by(&:to_s) }
            define_method(:satisfies?) { |*needed| needed.flatten.all? { |name| feature?(name) } }
            define_method(:has_features) { |*names| (@declared_features ||= []).concat(names.map(&:to_sym)) }
            alias_method :has_feature, :has_features
          end
          known.each_value { |feature| query(made, feature) }
          made
        end
      end

      private

      def query(holder, feature)
        holder.define_method("#{feature.name}?") do
          (is_a?(Class) ? self : self.class).declared_feature?(feature.name) || feature.available?(self)
        end
      end
    end
  end

  class Provider
    include Util
    include Util::Errors
    include Util::Logging
    include Comparable

    class << self
      include Util
      include Util::Docs
      include Util::Logging

      attr_accessor :name, :resource_type
      attr_writer :source

      def initvars
        @defaults, @notdefaults, @commands, @confines = [], [], {}, []
      end

      def inherited(made)
        super
        made.initvars
      end

      def source
        @source ||= name
      end

      def commands(given = {})
        given.each { |name, path| has_command(name, path) }
      end

      def optional_commands(given = {})
        given.each { |name, path| has_command(name, path) { is_optional } }
      end

      def has_command(name, path, &block)
        command = CommandDefinition.new
        command.instance_eval(&block) if block
        @commands[name.to_sym] = path
        confine(exists: path, for_binary: true) unless command.optional
        run = ->(*args) { Util::Execution.execute([Util.which(path) || path, *args], failonfail: true, combine: true) }
        singleton_class.send(:define_method, name, &run) unless singleton_class.method_defined?(name)
        define_method(name) { |*args| self.class.public_send(name, *args) } unless method_defined?(name)
      end

      def command(name)
        path = @commands[name.to_sym]
        return superclass.command(name) if path.nil? && superclass.respond_to?(:command)

        path && (Util.which(path) || path)
      end

      # How a command is called.
      class CommandDefinition
        attr_reader :optional

        def is_optional
          @optional = true
        end

        def environment(*); end
      end

      def confine(given = {}, &block)
        given = { true: block.call } if block && given.empty?
        @confines << given
      end

      def confine_to(*); end

      # Whether it works on the machine that the facts are of.
      def suitable?(_short = true)
        @confines.all? { |given| confine_holds?(given) } &&
          (!superclass.respond_to?(:suitable?) || superclass == Provider || superclass.suitable?)
      end

      def defaultfor(given)
        @defaults << given
      end

      def notdefaultfor(given)
        @notdefaults << given
      end

      def default_match
        some_match(@notdefaults) ? nil : some_match(@defaults)
      end

      def default?
        !default_match.nil?
      end

      def specificity
        (default_match.to_h.size * 100) + ancestors.count { |one| one.is_a?(Class) }
      end

      def declared_feature?(name)
        !!@declared_features&.include?(name)
      end

      def supports_parameter?(param)
        param = resource_type.attrclass(param) unless param.is_a?(Class)
        features = param.required_features
        features.nil? || satisfies?(*features)
      end

      def mk_resource_methods
        return unless resource_type

        (resource_type.validproperties + resource_type.parameters).each do |name|
          next if name == :name

          define_method(name) { @property_hash[name].nil? ? :absent : @property_hash[name] }
          define_method("#{name}=") { |value| @property_hash[name] = value }
        end
      end

      def instances
        []
      end

      def prefetch(*); end

      # The text of the definition, and data derived from it.
      def doc
        extra = [doc_of_commands, doc_of_defaults, doc_of_features].compact.map { |line| "* #{line}" }.join("\n")
        return extra unless @doc

        scrub(@doc) + (extra.empty? ? '' : "\n\n#{extra}")
      end

      private

      def doc_of_commands
        @commands.empty? ? nil : "Required binaries: #{@commands.values.map { |path| "`#{path}`" }.sort.join(', ')}."
      end

      def doc_of_defaults
        return nil if @defaults.empty?

        texts = @defaults.map do |given|
          "Default for #{given.map { |fact, value| "`#{fact}` == `#{[value].flatten.join(', ')}`" }.sort.join(' and ')}."
        end
        texts.join(' ')
      end

      def doc_of_features
        found = respond_to?(:features) ? features : []
        found.empty? ? nil : "Supported features: #{found.map { |name| "`#{name}`" }.sort.join(', ')}."
      end

      def some_match(list)
        list.find { |given| given.all? { |name, values| name == :feature ? feature_set?(values) : fact_is?(name, values) } }
      end

      def feature_set?(names)
        [names].flatten.all? { |name| Puppet.features.public_send("#{name}?") }
      end

      def fact_is?(name, values)
        fact = Ordain.fact(name).to_s.downcase
        return false if fact.empty?

        [values].flatten.any? { |one| one.is_a?(Regexp) ? fact.match?(one) : fact == one.to_s.downcase }
      end

      def confine_holds?(given)
        binary = given[:for_binary]
        given.all? do |kind, value|
          case kind
          when :for_binary then true
          when :exists then [value].flatten.all? { |path| binary ? Util.which(path) : path && File.exist?(path) }
          when :true then [value].flatten(1).all? { |one| one.respond_to?(:call) ? one.call : one }
          when :false then [value].flatten(1).none? { |one| one.respond_to?(:call) ? one.call : one }
          when :feature then feature_set?(value)
          when :any then [value].flatten(1).any?
          else fact_is?(kind, value)
          end
        end
      end
    end
    initvars

    attr_accessor :resource

    def initialize(resource = nil)
      @resource = resource unless resource.is_a?(Hash)
      @property_hash = resource.is_a?(Hash) ? resource : {}
    end

    def name
      @property_hash[:name] || resource&.name
    end

    def get(name)
      @property_hash[name.to_sym] || :absent
    end

    def set(values)
      values.each { |name, value| @property_hash[name.to_sym] = value }
    end

    def command(name)
      self.class.command(name)
    end

    def clear
      @resource = nil
    end

    def <=>(other)
      other.is_a?(Provider) ? self.class.name <=> other.class.name : nil
    end

    def to_s
      "#{@resource}(provider=#{self.class.name})"
    end
    alias inspect to_s
  end
end

module Ordain
  # The providers that Puppet chooses for packages and services by the facts of a machine.
  module DefaultProviders
    PACKAGES = {
      'debian' => :apt, 'redhat' => :dnf, 'suse' => :zypper, 'archlinux' => :pacman, 'gentoo' => :portage,
      'freebsd' => :pkgng, 'openbsd' => :openbsd, 'netbsd' => :pkgin, 'darwin' => :pkgdmg, 'windows' => :windows,
      'solaris' => :pkg, 'aix' => :nim, 'alpine' => :apk
    }.freeze
    SERVICES = {
      'debian' => :debian, 'redhat' => :redhat, 'suse' => :redhat, 'gentoo' => :openrc, 'alpine' => :openrc,
      'freebsd' => :freebsd, 'openbsd' => :openbsd, 'netbsd' => :bsd, 'darwin' => :launchd, 'windows' => :windows,
      'solaris' => :smf, 'aix' => :src
    }.freeze

    class << self
      def of(type)
        family = Ordain.fact('os.family').to_s.downcase
        case type
        when :package then old_redhat?(family) ? :yum : PACKAGES[family]
        when :service then systemd? ? :systemd : SERVICES[family]
        end
      end

      private

      def old_redhat?(family)
        family == 'redhat' && Ordain.fact('os.release.major').to_i.between?(1, 7)
      end

      def systemd?
        File.read('/proc/1/comm').include?('systemd')
      rescue SystemCallError
        false
      end
    end
  end
end
