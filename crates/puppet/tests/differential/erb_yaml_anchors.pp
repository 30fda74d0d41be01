# A list or hash that stands at several places of what a template writes as YAML has an anchor.
$list = [1]
$empty = {}
$config = { 'm' => 'text', 'n' => 'text', 'o' => $list, 'p' => $list, 'q' => $empty, 'r' => $empty, 't' => [] }
notify { 'shared': message => inline_template('<%= @config.to_yaml %>') }
$nested = { a => { b => $list }, c => [$list, $list] }
notify { 'nested': message => inline_template('<%= @nested.to_yaml %><%= [@list, @list].to_yaml %><%= [@config, @nested["a"]].to_yaml %>') }
# What is made anew each time has none.
$made = ['a', 'b'].map |$x| { { 'k' => 'literal', 'e' => {}, 'l' => [1] } }
notify { 'made': message => inline_template('<%= @made.to_yaml %>') }
# Each lookup gives new values, whatever the data shares.
$first = lookup('x')
$second = lookup('x')
notify { 'looked up': message => inline_template('<%= { "a" => @first, "b" => @second, "c" => @first, "y" => scope.call_function("lookup", ["y"]) }.to_yaml %>') }
$hash = { a => { b => [] } }
$functions = [$hash + {}, $hash + { c => 1 }, $hash, [$hash] + [], $hash.filter |$k, $v| { true }, $hash['a'], $hash.map |$k, $v| { $v }, [$hash, $hash].unique, flatten([[$hash], [$hash]]), Array($hash), Hash($hash), $hash.with |$q| { $q }]
notify { 'functions': message => inline_template('<%= @functions.to_yaml %>') }
define twice($options = {}) {
  $both = { 'x' => $options, 'y' => $options }
  notify { $title: message => inline_template('<%= @both.to_yaml %>') }
}
twice { ['d1', 'd2']: }
twice { ['d3', 'd4']: options => { k => [] } }
class twice_class($p = {}, $q = lookup('x')) {
  $all = { a => $p, b => $p, c => $q, d => $twice_class::q }
  notify { 'class': message => inline_template('<%= @all.to_yaml %>') }
}
include twice_class
