# Arguments of a deferred call are resolved inside of lists, values of hashes and secrets.
$secret = Deferred('unwrap', [Sensitive(Deferred('downcase', ['A']))])
notice($secret.call)
$list = Deferred('join', [[Deferred('downcase', ['A']), 'b'], '-'])
notice($list.call)
$values = Deferred('values', [{ 'a' => Deferred('downcase', ['B']) }])
notice($values.call)
$x = { 'a' => [5] }
notice(Deferred('$x', ['a', 0]).call)
