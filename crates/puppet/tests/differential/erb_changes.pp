# Templates that change lists, hashes and texts in place.
$h = { 'a' => { 'x' => 1, 'y' => 2 }, 'b' => [1] }
$same = $h
$inner = $h['a']
$holder = { 'h' => [$h], 'n' => 1 }
$copy = $h + {}
$r1 = inline_template("<% @h.delete('b'); @h['a']['z'] = [nil, 'q'] -%><%= scope['same'].inspect %><%= @holder['h'][0].size %>")
notice($r1, $h, $same, $inner, $holder, $copy)
$list = [3, 1, undef, [2]]
$r2 = inline_template("<% @list.compact!; @list.flatten!; @list.sort!; @list.map! { |n| n + 1 }; scope['list'] << 9; scope.to_hash['list'].reverse! -%>")
notice($list)
# Texts that are put together may be changed.
$word = 'a'
$text = "x${word}"
$texts = ["y${word}", 'z']
$r3 = inline_template("<% @text << 'b'; @texts.first.gsub!('a', 'cc') -%>")
notice($text, $texts)
# What is made of a value is another one.
$n = [1, 2]
$same_n = $n.then |$x| { $x }
$others = [$n.flatten, $n.filter |$x| { true }, [*$n], $n + [], [] + $n, $n[0, 9]]
$r4 = inline_template("<% @n << 7 -%>")
notice($n, $same_n, $others)
# A resource has its own; the parameter is the variable.
define item($opts, $own = { 'o' => [1] }) {
  $mine = $opts
  $r5 = inline_template("<% @opts.delete('a'); @opts['l'] << 4; @own['o'] << 2 -%>")
  notice($opts, $mine, $own)
  file { "/item/${title}": content => String($opts) }
}
$opts = { 'a' => 1, 'l' => [1] }
item { 'one': opts => $opts }
item { 'two': opts => { 'a' => 2, 'l' => [] } }
notice($opts)
class settled($p = { 'k' => 'v' }, $q = []) {
  notice(inline_template("<% @p['more'] = 1; @q.push(1, 2) -%>"), $p, $q)
}
class { 'settled': q => $n }
class reader {
  $l = $settled::p
  $r6 = inline_template("<% scope['settled::q'].shift; @l.clear -%>")
  notice($settled::p, $settled::q, $l)
}
include reader
# Functions and lambdas have the values of those that call them.
function changes($list) { inline_template("<% @list << 'f' -%>") }
$given = ['g']
$r7 = changes($given)
notice($given)
$lists = [[1], [2]]
notice($lists.map |$l| { $r8 = inline_template("<% @l << 0 -%>") $l }, $lists)
# What a template calls sees what it has changed until then.
function sees() { $::given }
notice(inline_template("<% @given << 's' -%><%= scope.call_function('sees', []).inspect %><% @given << 't' -%>"), $given)
# A copy is a copy, and what is set is something else.
$kept = { 'a' => [1] }
$r9 = inline_template("<% other = @kept.dup; other.delete('a'); @kept = { 'b' => 1 }; @kept.clear -%>")
notice($kept)
$secret = Sensitive([1])
$r10 = inline_template("<% @secret.unwrap << 2 -%>")
notice($secret.unwrap)
