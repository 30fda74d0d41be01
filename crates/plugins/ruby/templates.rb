# ERB templates.
module Puppet
  module Parser
    # The environment of the code of a template: variables as `@name`, the scope, its methods.
    class TemplateWrapper
      def initialize(scope, file = nil)
        @__scope__ = scope
        @__file__ = file
      end

      def scope
        @__scope__
      end

      def file
        @__file__
      end

      def has_variable?(name)
        scope.include?(name.to_s)
      end

      def classes
        scope.catalog.classes
      end

      def tags
        raise NotImplementedError, "Call 'all_tags' instead."
      end

      def all_tags
        scope.catalog.tags
      end

      def result(text, variables)
        variables.each { |name, value| instance_variable_set("@#{name.gsub(/[^\w]/, '_')}", value) }
        Ordain::Templates.compiled(@__file__, text).result(binding)
      end

      Puppet::LEVELS.each { |level| define_method(level) { |message| Puppet.public_send(level, message) } }

      def to_s
        "template[#{@__file__ || 'inline'}]"
      end
    end
  end
end

module Ordain
  # Templates, compiled once for each content.
  module Templates
    KEPT = 1000

    class << self
      def render(path, text, variables, scope)
        variables = variables.to_h { |name, value| [name, scope.own(name, value)] }
        Puppet::Parser::TemplateWrapper.new(scope, path).result(text, variables)
      end

      def erb(text)
        require 'erb'
        ERB.instance_method(:initialize).parameters.include?(%i[key trim_mode]) ? ERB.new(text, trim_mode: '-') : ERB.new(text, 0, '-')
      end

      def compiled(path, text)
        @compiled ||= {}
        @compiled.clear if @compiled.size > KEPT
        @compiled[[path, text]] ||= erb(text).tap { |made| made.filename = path || 'inline template' }
      end
    end
  end
end
