# Providers of files whose lines are records, such as `/etc/hosts`.
module Puppet
  module Util
    # Lines of a file as records, and back.
    module FileParsing
      # One kind of line.
      class FileRecord
        INVALID_FIELDS = %i[record_type target on_disk].freeze

        attr_accessor :absent, :joiner, :rts, :separator, :rollup, :name, :match, :block_eval
        attr_reader :fields, :optional, :type

        def initialize(type, absent: nil, block_eval: nil, fields: nil, joiner: nil, match: nil, optional: nil,
                       post_parse: nil, pre_gen: nil, rollup: nil, rts: nil, separator: nil, to_line: nil, &block)
          @type = type.to_sym
          raise ArgumentError, "Invalid record type #{@type}" unless %i[record text].include?(@type)

          @absent, @block_eval, @joiner, @match, @rts, @separator = absent, block_eval, joiner, match, rts, separator
          @rollup = rollup
          record_defaults if @type == :record
          self.fields = fields if fields
          self.optional = optional if optional
          { post_parse: post_parse, pre_gen: pre_gen, to_line: to_line }.each do |name, code|
            define_singleton_method(name, &code) if code
          end
          take(block) if block
        end

        def fields=(fields)
          @fields = fields.map(&:to_sym).each do |name|
            raise ArgumentError, "Cannot have fields named #{name}" if INVALID_FIELDS.include?(name)
          end
        end

        def optional=(fields)
          @optional = fields.map(&:to_sym)
        end

        %i[post_parse pre_gen to_line].each do |name|
          define_method("#{name}=") { |code| define_singleton_method(name, &code) }
        end

        def text?
          type == :text
        end

        # The fields of a record as one line.
        def join(details)
          parts = fields.map do |field|
            value = details[field]
            next value.to_s unless value.nil? || value == :absent || value == [:absent]
            raise ArgumentError, "Field '#{field}' is required" unless optional.include?(field)

            absent
          end
          parts.compact.join(joiner)
        end

        private

        def record_defaults
          @absent ||= ''
          @separator ||= /\s+/
          @joiner ||= ' '
          @optional ||= []
          @rollup = true if @rollup.nil?
        end

        def take(block)
          @block_eval ||= :process
          block_eval == :instance ? instance_eval(&block) : define_singleton_method(block_eval, &block)
        end
      end

      attr_writer :line_separator, :trailing_separator

      def text_line(name, options, &block)
        raise ArgumentError, 'You must provide a :match regex for text lines' unless options.key?(:match)

        new_line_type(name, FileRecord.new(:text, **options, &block))
      end

      def record_line(name, options, &block)
        raise ArgumentError, 'Must include a list of fields' unless options.key?(:fields)

        new_line_type(name, FileRecord.new(:record, **options, &block))
      end

      def clear_records
        @record_types&.clear
        @record_order&.clear
      end

      def fields(type)
        record_type(type)&.fields&.dup
      end

      def line_separator
        @line_separator ||= "\n"
      end

      def trailing_separator
        defined?(@trailing_separator) && !@trailing_separator.nil? ? @trailing_separator : true
      end

      def lines(text)
        text.split(line_separator)
      end

      def parse(text)
        lines(text).each_with_index.map do |line, index|
          parse_line(line) or begin
            error = ResourceError.new("Could not parse line #{line.inspect}")
            error.line = index + 2
            raise error
          end
        end
      end

      # The record of a line, by the first kind of line that fits.
      def parse_line(line)
        raise DevError, 'No record types defined; cannot parse lines' unless records?

        @record_order.each do |record|
          found = public_send("handle_#{record.type}_line", line, record) or next
          record.post_parse(found) if record.respond_to?(:post_parse)
          return found
        end
        nil
      end

      def handle_text_line(line, record)
        { record_type: record.name, line: line } if line.match?(record.match)
      end

      def handle_record_line(line, record)
        found = if record.respond_to?(:process)
                  made = record.process(line.dup)
                  unless made.nil? || made == false || made.is_a?(Hash)
                    raise DevError, "Process record type #{record.name} returned non-hash"
                  end

                  made
                elsif record.match
                  matched_fields(line, record)
                else
                  split_fields(line, record)
                end
        found && found.merge!(record_type: record.name)
      end

      def records?
        !(@record_types.nil? || @record_types.empty?)
      end

      def to_file(records)
        text = records.map { |record| to_line(record) }.join(line_separator)
        trailing_separator ? text + line_separator : text
      end

      def to_line(details)
        record = record_type(details[:record_type]) or
          raise ArgumentError, "Invalid record type #{details[:record_type].inspect}"

        if record.respond_to?(:pre_gen)
          details = details.dup
          record.pre_gen(details)
        end
        return details[:line] if record.text?
        return record.to_line(details) if record.respond_to?(:to_line)

        line = record.join(details)
        return line unless record.rts

        line.sub(record.rts == true ? /\s+$/ : record.rts, '')
      end

      def valid_attr?(type, name)
        !!record_type(type)&.fields&.include?(name.to_sym) || name.to_sym == :ensure
      end

      private

      def new_line_type(name, record)
        record.name = name.to_sym
        @record_types ||= {}
        raise ArgumentError, "Line type #{record.name} is already defined" if @record_types.key?(record.name)

        @record_types[record.name] = record
        (@record_order ||= []) << record
        record
      end

      def record_type(type)
        @record_types && type && @record_types[type.to_sym]
      end

      def matched_fields(line, record)
        match = record.match.match(line) or return nil
        record.fields.zip(match.captures).to_h { |field, value| [field, value == record.absent ? :absent : value] }
      end

      def split_fields(line, record)
        parts = line.split(record.separator == ' ' ? / / : record.separator)
        found = record.fields.to_h do |field|
          value = parts.shift
          [field, value.nil? || value == record.absent ? :absent : value]
        end
        if record.rollup && !parts.empty?
          last = record.fields.last
          found[last] = [found[last], *parts].join(record.joiner)
        end
        found
      end
    end
  end

  class Provider
    class ParsedFile < Provider
      extend Util::FileParsing

      class << self
        attr_accessor :default_target, :target, :raise_prefetch_errors

        def initvars
          @records = []
          @target_objects = {}
          @failed_prefetch_targets = {}
          @raise_prefetch_errors = false
          @target = nil
          super
        end

        def clean(record)
          record.reject { |name, _| %i[record_type on_disk].include?(name) }
        end

        def clear
          @target_objects.clear
          @records.clear
        end

        def filetype
          @filetype ||= Util::FileType.filetype(:flat)
        end

        def filetype=(kind)
          @filetype = kind.is_a?(Class) ? kind : Util::FileType.filetype(kind)
          raise ArgumentError, "Invalid filetype #{kind}" unless @filetype
        end

        def resource_type=(type)
          super
          mk_resource_methods
        end

        def header
          "# HEADER: This file was autogenerated at #{Time.now}\n" \
            "# HEADER: by puppet.  While it can still be managed manually, it\n" \
            "# HEADER: is definitely not recommended.\n"
        end

        def native_header_regex
          nil
        end

        def drop_native_header
          false
        end

        def default_mode
          nil
        end

        # Methods of properties read the record, and fall back to the declaration where records lack the field.
        def mk_resource_methods
          (resource_type.validproperties + resource_type.parameters).map(&:to_sym).each do |name|
            define_method(name) do
              if @property_hash[name] || self.class.valid_attr?(self.class.name, name)
                @property_hash[name] || :absent
              else
                @resource&.should(name)
              end
            end
            define_method("#{name}=") do |value|
              mark_target_modified
              @property_hash[name] = value
            end
          end
        end

        # Reading.

        def instances
          found = targets.flat_map { |target| prefetch_target(target) }
          found.reject { |record| skip_record?(record) }.map { |record| new(record) }
        end

        def prefetch(resources = nil)
          @records = prefetch_all_targets(resources)
          match_providers_with_resources(resources)
        end

        def match_providers_with_resources(resources)
          return unless resources

          left = resources.dup
          @records.each do |record|
            next if skip_record?(record)

            resource = resource_for_record(record, resources)
            if resource.nil? && respond_to?(:match)
              resource = match(record, left) or next
              left.delete(resource.title)
              record[:name] = resource[:name]
            end
            resource.provider = new(record) if resource
          end
        end

        def resource_for_record(record, resources)
          record[:name] && resources[record[:name]]
        end

        def prefetch_all_targets(resources)
          targets(resources).flat_map { |target| prefetch_target(target) }
        end

        def prefetch_target(target)
          found = read_target(target)
          # Records are hashes or objects with the same brackets.
          found.each { |record| { on_disk: true, target: target, ensure: :present }.each { |name, value| record[name] = value } }
          found = prefetch_hook(found) if respond_to?(:prefetch_hook)
          found or raise DevError, "Prefetching #{target} for provider #{name} returned nil"
        end

        def retrieve(path)
          text = target_object(path).read
          return [] if text.nil? || text.empty?

          before, @target = @target, path
          parse(text)
        rescue Puppet::Error => e
          e.file = path if e.respond_to?(:file=)
          raise
        ensure
          @target = before if before || @target == path
        end

        def record?(name)
          @records&.find { |record| record[:name] == name }
        end

        def skip_record?(record)
          record_type(record[:record_type]).text?
        end

        # Writing.

        def modified(target)
          @modified ||= []
          @modified << target unless @modified.include?(target)
        end

        # Writes each file that has changed, once.
        def flush(record)
          unless record[:on_disk]
            record[:on_disk] = true
            @records << record
            modified(record[:target] || default_target)
          end
          return if @modified.nil? || @modified.empty?

          done = []
          @modified.sort_by(&:to_s).uniq.each do |target|
            Puppet.debug { "Flushing #{resource_type.name} provider target #{target}" }
            done << target
            flush_target(target)
          end
        ensure
          @modified&.reject! { |target| done.include?(target) } if done
        end

        def flush_target(target)
          if raise_prefetch_errors && @failed_prefetch_targets.key?(target)
            raise Puppet::Error, "Failed to read #{target}'s records when prefetching them. " \
                                 "Reason: #{@failed_prefetch_targets[target]}"
          end

          backup_target(target)
          records = target_records(target).reject { |record| record[:ensure] == :absent }
          target_object(target).write(to_file(records))
        end

        # Keeps a copy of a file before its first change after it was read.
        def backup_target(target)
          return nil unless target_object(target).respond_to?(:backup)

          @backup_stats ||= {}
          return nil if @backup_stats[target] == @records.object_id

          target_object(target).backup
          @backup_stats[target] = @records.object_id
        end

        def target_object(target)
          @target_objects[target] ||= default_mode ? filetype.new(target, default_mode) : filetype.new(target)
        end

        def target_records(target)
          @records.select { |record| record[:target] == target }
        end

        def targets(resources = nil)
          raise DevError, 'Parsed Providers must define a default target' unless default_target

          named = (resources || {}).values.filter_map { |resource| resource.should(:target) }
          [default_target, *@target_objects.keys, *named].uniq.compact
        end

        def to_file(records)
          text = super
          match = native_header_regex && text.match(native_header_regex)
          return header + text unless match
          return header + match.pre_match + match.post_match if drop_native_header

          match[0] + header + match.pre_match + match.post_match
        end

        private

        def read_target(target)
          retrieve(target) or raise DevError, "Prefetching #{target} for provider #{name} returned nil"
        rescue Util::FileType::FileReadError => e
          if raise_prefetch_errors
            @failed_prefetch_targets[target] = e.to_s
          else
            Puppet.err("Could not prefetch #{resource_type.name} provider '#{name}' target '#{target}': #{e}. Treating as empty")
          end
          []
        end
      end
      initvars

      attr_accessor :property_hash

      def initialize(record)
        super
        return unless @property_hash.empty?

        @property_hash = self.class.record?(resource[:name]) || { record_type: self.class.name, ensure: :absent }
      end

      def create
        @resource.class.validproperties.each do |property|
          value = @resource.should(property)
          @property_hash[property] = value if value
        end
        mark_target_modified
        :"#{@resource.class.name}_created"
      end

      def destroy
        self.ensure = :absent
        :"#{@resource.class.name}_deleted"
      end

      def exists?
        ![:absent, nil].include?(@property_hash[:ensure])
      end

      def flush
        unless @property_hash[:target]
          @property_hash[:target] = @resource.should(:target) || self.class.default_target
          self.class.modified(@property_hash[:target])
        end
        @resource.class.key_attributes.each { |name| @property_hash[name] ||= @resource[name] }
        self.class.flush(@property_hash)
      end

      def prefetch
        raise DevError, 'Somehow got told to prefetch with no resource set' unless @resource

        self.class.prefetch(@resource[:name] => @resource)
      end

      def record_type
        @property_hash[:record_type]
      end

      private

      # A record that moves changes both files.
      def mark_target_modified
        wanted = @resource&.should(:target)
        self.class.modified(wanted) if wanted && wanted != @property_hash[:target]
        present = @property_hash[:target]
        self.class.modified(present) if present && present != :absent
      end
    end
  end
end
