# Functions in Ruby that change lists, hashes and texts in place.
$h = { 'old' => 1, 'box' => { 'old' => 2, 'k' => [{ 'old' => 3 }] } }
$same = $h
$box = $h['box']
$holder = [{ 'h' => $h }, $box]
$copy = $h + {}
$r1 = shed::prune($h)
notice($h, $same, $box, $holder, $copy, $r1)
# What a function gives back is what it was given.
$r2 = shed::same($h, $same)
$r3 = shed::prune($r2, 'k')
notice($r2, $h)
notice(shed::same($h['box'], $box)[0], shed::same($h, $copy)[0])
$list = [1]
$lists = [$list, $list]
shed::push($lists[0], 2)
notice($list, $lists, shed::push([], 3))
# What it calls sees what it has changed until then.
$steps = { 'old' => 1 }
$told = ['one']
$r4 = shed::steps($steps, $told) |$value, $n| { notice($n, $steps, $told) $value }
notice($r4, $steps, $told)
shed::push($told, 'five')
notice($steps)
$w = 'w'
$text = "a long text of which there is one ${w}"
$all = {}
$seen = []
notice(shed::look('list'), $list, $lists, $seen, $text, $all, $made)
# What comes from outside is frozen.
notice(shed::refuse($facts), shed::refuse($trusted), shed::refuse($server_facts), shed::refuse($facts['os']))
notice(shed::refuse({ 'a' => $facts }), $facts['os'] == 1)
# Data of Hiera is looked up again.
$tools = lookup('tools')
$r5 = shed::prune($tools)
notice($tools, lookup('tools'))
# Instances have their own; the parameter is the variable.
$opts = { 'old' => 1, 'b' => 2 }
shed::item { 'one': opts => $opts }
shed::item { 'two': opts => { 'old' => 2 } }
notice($opts)
class { 'shed': list => $list }
notice($list, $shed::list)
# What a class reads from another is that class's.
class { 'shed::bin': opts => { 'old' => 1, 'k' => [{ 'old' => 2 }] } }
include shed::sweep
# Lambdas and functions have the values of those that call them.
$items = [{ 'old' => 1, 'a' => 1 }, { 'old' => 2, 'b' => [] }]
notice($items.map |$item| { shed::prune($item) }, $items)
$items.each |$item| { $item.each |$key, $value| { if $value =~ Array { shed::push($value, $key) } } }
notice($items, [1, 2].reduce([]) |$memo, $n| { shed::push($memo, $n) })
function given($value) { shed::prune($value, 'b') }
notice(given($opts), $opts)
# All kinds of changes.
$odd = {
  'first' => 1, 'r' => /x/, 't' => Integer, 'd' => [default], 's' => Sensitive({ 'x' => 1 }), 'l' => [1], 2 => 'two',
  'e' => [undef, 1, undef],
}
$numbers = [3, 1, 2]
shed::odd($odd, $numbers)
notice($odd, $odd.keys, $odd['s'].unwrap, $numbers)
notice(shed_old({ 'box' => ['x'] }), $opts, $seen)
$old = { 'box' => [] }
notice(shed_old($old), $old)
# A template that `ruby` itself renders.
$tpl = { 'old' => 1, 'l' => [1] }
$r6 = inline_template("<% require 'set'; ObjectSpace.count_objects; @tpl.delete('old'); scope['tpl']['l'] << @text.size; @text.upcase! %>")
notice($tpl, $text)
notice(inline_template("<% scope.call_function('shed::push', [@told, 'six']) %>"), $told)
