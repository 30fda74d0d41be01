# Only what is written as the size of nothing has no types of elements.
notice([Iterable[String] >= Array[-1, 0], Iterable[String] >= Array[0, 0], Array[String] >= Array[default, 0]])
notice([Hash[String, String] >= Hash[-1, 0], Hash[String, String] >= Hash[0, 0], Array[String] >= Array[Integer, 0, 0]])
notice(type([['a'], ['b'], ['a', 'b']], reduced), type([[], [undef]], reduced), type([{ 'a' => [1] }, { 'b' => [2, 3] }], reduced))
notice(type([['a', 'a'], ['a', 'b']], reduced), type([[1], ['a'], [2.5]], reduced), type([{}, { 'a' => 1 }], reduced))
