# Answers for the comparison with Ruby's YAML: one JSON request and answer per line.
#
# `{read: TEXT}` returns the value of the text in the form of `shown` and whether the rest after the
# first document is valid YAML, or the reason why the text is refused; `{write: VALUE, options:
# {…}}` returns the YAML of a value in the form of `made`.
require 'json'
require 'yaml'

# The value that was read, in a form in which equal texts mean equal values.
def shown(value)
  case value
  when nil then 'null'
  when true, false, Integer then value.to_s
  when Float then "float #{value.nan? ? 'nan' : [value].pack('G').unpack1('H*')}"
  when Symbol then ":#{JSON.generate(value.to_s.scrub)}"
  when String
    text = value.dup.force_encoding('UTF-8')
    text.valid_encoding? ? JSON.generate(text) : "bytes #{value.unpack1('H*')}"
  when Array then "[#{value.map { |item| shown(item) }.join(', ')}]"
  when Hash then "{#{value.map { |key, item| "#{shown(key)} => #{shown(item)}" }.join(', ')}}"
  else value.class.name
  end
end

# A Ruby value: a list is a pair of a kind and its content, other values stand for themselves.
def made(data)
  return data unless data.is_a?(Array)

  kind, held = data
  case kind
  when 'list' then held.map { |item| made(item) }
  when 'map' then held.to_h { |key, item| [made(key), made(item)] }
  when 'float' then [held].pack('H*').unpack1('G')
  when 'integer' then held.to_i
  end
end

# Whether the whole text is valid YAML; only its first document is read.
def whole?(text)
  YAML.parse_stream(text)
  true
rescue StandardError
  false
end

def answer(request)
  return { text: made(request['write']).to_yaml(request['options'].transform_keys(&:to_sym)) } if request.key?('write')

  value = shown(YAML.safe_load(request['read'], permitted_classes: [Symbol], aliases: true))
  { value: value, whole: whole?(request['read']) }
rescue StandardError, SystemStackError => e
  { error: e.class.name, message: e.message.scrub }
end

$stdout.sync = true
$stdin.each_line { |line| puts JSON.generate(answer(JSON.parse(line))) }
