# Site: ruby_changes
# Functions of the older kind get copies, so what they give is another value, deep inside, too.
$options = { 'a' => { 'x' => 1, 'l' => [1] }, 'b' => [[2]] }
$picked = pick($options, {})
$inner = pick(undef, $options['a'])
$r1 = inline_template("<% @picked.delete('x'); @picked['b'][0].clear; @inner['l'] << 2 -%>")
notice($options, $picked, $inner)
