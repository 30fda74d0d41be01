# How long slices of what counts integers are, what steps leave of a range, and what types consist of.
[Integer[1, 2], Integer[3, 5], 5, 'abcd', [1, 2, 3]].each |$of| {
  [1, 2, 3, 5].each |$n| {
    notify { "${of} by ${n}": message => String($of.slice($n)) }
    notify { "${of} step ${n} by 2": message => String($of.step($n).slice(2)) }
    notify { "${of} step ${n}": message => String(type($of.step($n))) }
  }
}
[Integer[1, 2], Enum['a', 'b'], Variant[Integer, String[1]], Tuple[Integer, 1, 3], Hash[String, Integer],
 Callable[[String], Integer], Pattern[/a/], Type[Integer], Init[Integer, 16], Optional['a'], File['/x'],
 Class, Collection[1]].each |$type| {
  notify { "${type}": message => String(Array($type.tree_each)) }
}
notify { 'negative': message => -1 =~ Iterable[Integer] }
