require 'bigdecimal'

# A number of Ruby that manifests have no kind of value for, or another object, by its name.
Puppet::Functions.create_function(:'n::num') do
  dispatch(:num) { param 'String', :name }

  def num(name)
    case name
    when 'half' then Rational(1, 2)
    when 'two' then Rational(2, 1)
    when 'i' then Complex(0, 1)
    when 'big' then BigDecimal('1.5')
    when 'time' then Time.at(10).utc
    when 'a' then :a
    when 'b' then :b
    end
  end
end
