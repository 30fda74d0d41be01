require 'date'
require 'pathname'
require 'set'

# An object of Ruby by its name.
Puppet::Functions.create_function(:'own::object') do
  dispatch(:object) { param 'String', :name }

  def object(name)
    case name
    when 'time' then Time.at(0).utc
    when 'rational' then Rational(1, 3)
    when 'match' then /b/.match('abc')
    when 'range' then (1..3)
    when 'open' then (1...3)
    when 'words' then ('a'..'c')
    when 'set' then Set.new([1, 2])
    when 'symbol' then :word
    when 'path' then Pathname.new('/a/b')
    when 'date' then Date.new(2020, 1, 2)
    when 'error' then ArgumentError.new('odd')
    when 'symbols' then [:a, { b: :c }]
    when 'hash' then { 'c' => Rational(1, 1) }
    end
  end
end
