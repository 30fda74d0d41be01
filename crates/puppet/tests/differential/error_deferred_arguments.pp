class takes(Array $list) { notify { 'n': message => $list } }
class { 'takes': list => Deferred('join', [1, { 'a' => [undef, 'b'] }]) }
