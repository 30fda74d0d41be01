['time', 'rational', 'match', 'range', 'open', 'words', 'set', 'symbol', 'path', 'date', 'error', 'symbols', 'hash'].each |$name| {
  $x = own::object($name)
  notice($name, $x, [$x], type($x), type($x, 'generalized'), String($x), String($x, '%p'), own::look($x))
}
$symbol = own::object('symbol')
$third = own::object('rational')
notice($symbol == 'word', $symbol == own::object('symbol'), $third == own::object('rational'), own::object('set') == own::object('set'))
notice($symbol =~ String, $symbol =~ Runtime, $symbol =~ Runtime[ruby, 'Symbol'], $symbol =~ Runtime[ruby, 'Object'], $symbol =~ Scalar)
notice($third =~ Numeric, $third =~ Scalar, $third =~ Runtime[ruby, 'Numeric'], $third =~ Runtime[ruby, 'Integer'])
notice(own::object('range') =~ Iterable, own::object('set') =~ Iterable)
own::object('range').each |$i| { notice($i) }
notice(own::object('open').map |$i| { $i * 2 })
notice({ $symbol => 1 }, { $symbol => 1 }['word'], { $symbol => 1 }[$symbol], $symbol ? { 'word' => 1, default => 2 })
notice([$symbol] + [1], unique([$symbol, $symbol, $third]), join([$symbol, $third], ','), flatten([$symbol], $third))
notice(own_old(), type(own_old()), own::look(own_old()), own::rich('number'))
notice(inline_template('<% scope.setvar("left", :word); scope.setvar("right", {a: [:b]}) %>'), type($left), type($right))
notice(inline_template('<%= scope.call_function("own::look", [:word]) %> <%= scope.call_function("own::object", ["symbol"]).inspect %> <%= @symbol.inspect %> <%= @third.class %>'))
notify { 'symbols': message => own::object('symbols'), loglevel => $symbol ? { Runtime => 'info', default => 'err' } }
notify { "${symbol} ${third}": message => "${own::object('time')}" }
