# Values of different kinds are compared by their texts, as Ruby has them.
notify { 'largest':
  message => [
    max([['b'], false], [[], { 'b' => false }]), min([['b'], false], [[], { 'b' => false }]),
    max([1.0], [1]), max([1, 2], [1, 10]), max([[1, 2], [1, 10]]), max(1, 'a', 2), max(-1, '-2'),
    max('1e5', '200'), max(true, false), max({}, { 'a' => 1 }), max(1, 2.5), max(['10', '9']),
    String(max(Timespan(5), Timespan(3))), String(max(SemVer('1.0.0'), SemVer('2.0.0'))),
    String(max(SemVer('1.0.0'), '2.0.0')), String(max(Timespan(5), 3)),
  ],
}
