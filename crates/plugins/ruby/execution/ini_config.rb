# INI files that keep their comments and their order, as repositories of packages use them.
module Puppet
  module Util
    module IniConfig
      class IniParseError < ExternalFileError; end

      class Section
        attr_reader :name, :file, :entries
        attr_writer :destroy

        def initialize(name, file)
          @name, @file, @entries = name, file, []
          @dirty = @destroy = false
        end

        def dirty?
          @dirty || @destroy
        end

        def mark_dirty
          @dirty = true
        end

        def mark_clean
          @dirty = false
        end

        def destroy?
          @destroy
        end

        def add_line(line)
          @entries << line
        end

        def [](key)
          pair(key)&.last
        end

        def []=(key, value)
          @dirty = true
          found = pair(key)
          found ? found[1] = value : @entries << [key, value]
        end

        def format
          return '' if destroy?

          lines = @entries.map do |entry|
            next entry unless entry.is_a?(Array)

            entry[1].nil? ? '' : "#{entry[0]}=#{entry[1]}\n"
          end
          "[#{name}]\n#{lines.join}"
        end

        private

        def pair(key)
          @entries.find { |entry| entry.is_a?(Array) && entry[0] == key }
        end
      end

      class PhysicalFile
        INI_COMMENT = /^\s*$|^[#;]|^\s*rem\s/i.freeze
        INI_CONTINUATION = /^[ \t\r\n\f]/.freeze
        INI_SECTION_NAME = /^\[([^\]]+)\]/.freeze
        INI_PROPERTY = /^\s*([^\s=]+)\s*=\s*(.*)$/.freeze

        attr_reader :filetype, :contents
        attr_accessor :destroy_empty, :file_collection

        def initialize(file, options = {})
          @file, @contents = file, []
          @filetype = FileType.filetype(:flat).new(file)
          @destroy_empty = options.fetch(:destroy_empty, false)
        end

        def read
          raise IniParseError, "Cannot read nonexistent file #{@file.inspect}" unless ::File.exist?(@file)

          parse(@filetype.read)
        end

        def parse(text)
          section = key = nil
          text.each_line.with_index(1) do |line, number|
            if line.match?(INI_COMMENT)
              section ? section.add_line(line) : @contents << line
            elsif section && key && line.match?(INI_CONTINUATION)
              section[key] += "\n#{line.chomp}"
            elsif (match = line.match(INI_SECTION_NAME))
              section&.mark_clean
              section, key = add_section(match[1]), nil
            elsif (match = line.match(INI_PROPERTY))
              key = match[1]
              raise IniParseError, "Property with key #{key.inspect} outside of a section" unless section

              section[key] = match[2].rstrip
            else
              raise IniParseError.new("Can't parse line '#{line.chomp}'", @file, number)
            end
          end
          section&.mark_clean
        end

        def sections
          @contents.grep(Section)
        end

        def get_section(name)
          sections.find { |section| section.name == name }
        end

        def format
          @contents.map { |part| part.is_a?(Section) ? part.format : part }.join
        end

        def store
          if destroy_empty && sections.all?(&:destroy?)
            ::File.unlink(@file)
          elsif sections.any?(&:dirty?)
            @filetype.write(format)
          end
          sections.each(&:mark_clean)
        end

        def add_section(name)
          if get_section(name) || file_collection&.get_section(name)
            raise IniParseError.new("Section #{name.inspect} is already defined, cannot redefine", @file)
          end

          Section.new(name, @file).tap { |section| @contents << section }
        end
      end

      class FileCollection
        attr_reader :files

        def initialize
          @files = {}
        end

        def read(file)
          new_file(file).read
        end

        def store
          @files.each_value(&:store)
        end

        def each_section(&block)
          @files.each_value { |file| file.sections.each(&block) }
        end

        def each_file(&block)
          @files.each_key(&block)
        end

        def get_section(name)
          @files.each_value.filter_map { |file| file.get_section(name) }.last
        end
        alias [] get_section

        def include?(name)
          !get_section(name).nil?
        end

        def add_section(name, file)
          (@files[file] || new_file(file)).add_section(name)
        end

        private

        def new_file(file)
          @files[file] = PhysicalFile.new(file).tap { |made| made.file_collection = self }
        end
      end

      File = FileCollection
    end
  end
end
