# Lists and hashes that this process shares with the compile. Code may change them in place, and the
# compile has to see the changes. So each has a number, and changes are reported before the compile
# continues.
module Ordain
  module SharedValues
    # The amount of text in messages that is checked for changes when code calls the compile.
    MAX_WATCHED = 1 << 18

    # The number of brackets around the values of a request and of an answer.
    REQUEST = 2
    ANSWER = 3

    # The values of one message.
    class Group
      attr_reader :outer, :range, :size

      # `size` is about how much text they are.
      def initialize(outer, range, size)
        @outer, @range, @size = outer, range, size
        @state = state
      end

      # Whether anything in it changed since the last call.
      def changed?
        now = state
        return false if now && now == @state

        @state = now
        true
      end

      private

      # The fingerprint of a value: its hash, and the order of its keys.
      def state
        state = [@outer.hash]
        (@outer.is_a?(Hash) ? @outer.each_value : @outer).each do |part|
          state << part.keys.hash if part.instance_of?(Hash)
        end
        state
      rescue StandardError, SystemStackError
        nil
      end
    end

    # The lists and hashes of a message to the compile. Each is sent once, with a number.
    class Outgoing
      # `base` is the number of the first.
      def initialize(base)
        @base = base
        @numbers = nil
        @shared = false
      end

      # The reference to a list or hash by its number, which is assigned on demand.
      def refer(value)
        known = SharedValues.refer(value)
        return known if known

        # Most values are one list or hash.
        return nil.tap { @first = value } unless @first

        # A hash literal would compute the hash of the key, which walks shared values repeatedly.
        @numbers ||= {}.compare_by_identity.tap { |numbers| numbers[@first] = @base }
        number = @numbers[value]
        if number.nil?
          @numbers[value] = @base + @numbers.size
          return
        end
        @shared = true
        { '$' => 'shared', 'n' => number }
      end

      # Those that have a number now.
      def objects
        @numbers ? @numbers.keys : [@first].compact
      end

      # Whether one goes by its number.
      def shared?
        @shared
      end
    end

    @objects = []
    @groups = []
    @numbers = {}.compare_by_identity
    @counted = 0
    @frozen = []
    @frozen_numbers = {}.compare_by_identity
    @texts = {}
    @frames = 0

    class << self
      # The values of a message; those from number `base` on are shared. `braces` is the number of
      # brackets around them.
      def take(base, outer, braces = ANSWER)
        marked = Ordain.raw.include?('"$":')
        return marked ? Wire.unpack(outer) : outer if base.nil?

        cut(base)
        if marked then outer = outer.is_a?(Hash) ? outer.transform_values { |part| track(part) } : outer.map { |part| track(part) }
        else number(outer, braces)
        end
        @groups << Group.new(outer, base...@objects.size, Ordain.raw.bytesize)
        outer
      end

      # A value that code passes to the compile and keeps using.
      def give(value)
        outgoing = Outgoing.new(@objects.size)
        packed = Wire.pack(value, 0, outgoing)
        objects = outgoing.objects
        return packed if objects.empty?

        marked = { '$' => 'give', 'n' => @objects.size, 'v' => packed }
        @objects.concat(objects)
        marked
      end

      # A value that code passes to the compile when it ends.
      def hand_over(value)
        case value
        when String, Integer, nil, true, false then return Wire.pack(value)
        end

        outgoing = Outgoing.new(@objects.size)
        packed = Wire.pack(value, 0, outgoing)
        outgoing.shared? ? { '$' => 'give', 'n' => @objects.size, 'v' => packed } : packed
      end

      # Watches values that code passed on.
      def watch(value)
        @groups << Group.new([value], 0...0, MAX_WATCHED) if value.instance_of?(Array) || value.instance_of?(Hash)
      end

      # The reference to a value by its number, if it has one.
      def refer(value)
        if value.frozen? && (number = @frozen_numbers[value])
          return { '$' => 'frozen', 'n' => number }
        end
        return if @objects.empty?

        number = number_of(value)
        number && { '$' => 'shared', 'n' => number }
      end

      def of(number)
        @objects.fetch(number)
      end

      # A value of the compile that nothing may change.
      def frozen(data)
        number = data['n']
        return data['v'].freeze unless number
        return @frozen.fetch(number) unless data.key?('v')

        @frozen << nil while @frozen.size < number
        fix(data['v'])
      end

      # A copy for code, whose changes nobody sees.
      def copy(value)
        case value
        when Array then value.map { |item| copy(item) }
        when Hash then value.transform_values { |item| copy(item) }
        when String then value.dup
        else value
        end
      end

      # The text of a variable, which stays the same object while the compile sends the same text.
      def text(scope, name, text)
        known = @texts[[scope, name]]
        return known[1] if known && known[0] == text

        @texts[[scope, name]] = [text.dup, text]
        text
      end

      # Reports the changes of code to the compile.
      def settle(all)
        return if @groups.empty? && @texts.empty?

        changed = (all ? @groups : first_groups).select(&:changed?)
        texts = @texts.reject { |_, (before, now)| before == now }
        return if changed.empty? && texts.empty?

        told = texts.map { |(scope, name), (_, now)| [scope, name, Wire.pack(now)] }
        texts.each_value { |pair| pair[0] = pair[1].dup }
        Puppet::Parser::Scope.constant.clear unless texts.empty?
        Ordain.ask('changed', contents(changed), told)
      end

      # Runs a request. Afterwards its shared values are dropped.
      def frame
        size, groups = @objects.size, @groups.size
        Ordain.requests += 1 if @frames.zero?
        @frames += 1
        yield
      ensure
        @frames -= 1
        @texts.clear if @frames.zero?
        cut(size)
        @groups.pop(@groups.size - groups) if @groups.size > groups
      end

      def forget
        @frozen = []
        @frozen_numbers.clear
      end

      private

      def first_groups
        left = MAX_WATCHED
        @groups.take_while { |group| (left -= group.size).positive? }
      end

      def number_of(value)
        while @counted < @objects.size
          object = @objects[@counted]
          @numbers[object] = @counted if object
          @counted += 1
        end
        @numbers[value]
      end

      def cut(size)
        if @counted > size
          (size...@counted).each { |number| @numbers.delete(@objects[number]) }
          @counted = size
        end
        @objects.pop(@objects.size - size) if @objects.size > size
        @objects << nil while @objects.size < size
      end

      # Numbers lists and hashes in values.
      def number(outer, braces)
        values = outer.is_a?(Hash) ? outer.values : outer
        own = values.select { |value| value.instance_of?(Hash) || value.instance_of?(Array) }
        if Ordain.raw.count('{[') == own.size + braces then @objects.concat(own)
        else own.each { |value| index(value) }
        end
      end

      # Numbers lists and hashes in the order in which the compile does.
      def index(value)
        @objects << value
        if value.instance_of?(Hash) then value.each_value { |item| index(item) if item.instance_of?(Hash) || item.instance_of?(Array) }
        else value.each { |item| index(item) if item.instance_of?(Hash) || item.instance_of?(Array) }
        end
      end

      # A value with marks, its lists and hashes numbered.
      def track(data)
        case data
        when Array then keep(data) { data.map { |item| item.is_a?(String) ? item : track(item) } }
        when Hash
          return tagged(data) if data['$'].is_a?(String)

          keep(data) { data.transform_values { |item| item.is_a?(String) ? item : track(item) } }
        else data
        end
      end

      # Numbers the result of a block before the lists and hashes inside.
      def keep(data)
        number = @objects.size
        @objects << data
        @objects[number] = yield
      end

      def tagged(data)
        case data['$']
        when 'hash' then keep(data) { data['v'].to_h { |key, item| [track(key), track(item)] } }
        when 'sensitive' then Puppet::Pops::Types::PSensitiveType::Sensitive.new(track(data['v']))
        else Wire.unpack(data)
        end
      end

      # A value that nothing may change, with a number for each list and hash in it.
      def fix(data)
        case data
        when Array then keep_frozen { data.map { |item| fix(item) } }
        when Hash
          kind = data['$']
          return keep_frozen { data.transform_values { |item| fix(item) } } unless kind.is_a?(String)
          return keep_frozen { data['v'].to_h { |key, item| [fix(key), fix(item)] } } if kind == 'hash'

          Wire.unpack(data).freeze
        else data.freeze
        end
      end

      # Numbers the result of a block before the lists and hashes inside.
      def keep_frozen
        number = @frozen.size
        @frozen << nil
        made = yield.freeze
        @frozen_numbers[made] = number
        @frozen[number] = made
      end

      # The current content of all lists and hashes that are connected with groups, by number.
      def contents(groups)
        numbers = groups.flat_map { |group| group.range.to_a }
        seen = {}.compare_by_identity
        groups.each { |group| parts(group.outer).each { |part| reach(part, seen, numbers) } }
        numbers.uniq.filter_map do |number|
          [number, Wire.pack_parts(@objects[number], self)] if @objects[number]
        rescue Puppet::Error, SystemStackError
          # A value without a form in the compile keeps its earlier state there.
          nil
        end
      end

      def parts(value)
        value.is_a?(Hash) ? value.each_value : value.each
      end

      def reach(value, seen, numbers)
        value = value.unwrap if value.is_a?(Puppet::Pops::Types::PSensitiveType::Sensitive)
        return unless (value.is_a?(Array) || value.is_a?(Hash)) && !seen[value]

        seen[value] = true
        return if @frozen_numbers.key?(value)

        number = number_of(value)
        # New values get a number, so that several references to one stay shared.
        @objects << value unless number
        numbers << (number || (@objects.size - 1))
        parts(value).each { |item| reach(item, seen, numbers) }
      rescue SystemStackError
        nil
      end
    end
  end
end
