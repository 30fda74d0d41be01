# Points in time and durations are equal as values and not as keys, iterators never are.
# Chance: Ruby compares the keys of a small hash by one byte of their hash before it asks `==`, so
# one time in 256 a second point in time is the same key.
$t = Timestamp(0)
notice([1, 2].unique |$x| { Timestamp(0) }, [1, 2].unique |$x| { $t }, unique(3) |$v = 1| { Timespan(0) })
notice(([1, 2].group_by |$x| { [Timestamp(0)] }).size, ([1, 2].group_by |$x| { $t }).size)
notice([1, 2].unique |$x| { SemVer('1.0.0') }, [1, 2].unique |$x| { Binary('aGk=') }, [1, 2].unique |$x| { [1].reverse_each })
notice({ Timestamp(0) => 1 }[Timestamp(0)], { $t => 1 }[$t], { SemVer('1.0.0') => 1 }[SemVer('1.0.0')])
notice(Timestamp(0) == Timestamp(0), { 1 => Timestamp(0) } == { 1 => Timestamp(0) }, { Timespan(0) => 1 } == { Timespan(0) => 1 })
notice([Timestamp(1.5), Timestamp(1), 2] - [Timestamp(1.5), 1], ({ Timespan(0) => 1 } - Timespan(0)).size, [{ 1 => Timespan(0) }] - [{ 1 => Timespan(0) }])
notice([1].reverse_each == [1].reverse_each, [1].reverse_each in [[1].reverse_each], Timestamp(0) in [Timestamp(0)])
notice(Sensitive('A') == Sensitive('a'), Sensitive([1]) == Sensitive([1]), Sensitive(1) == Sensitive(1.0))
notice(unique({ a => Timespan(0), b => Timespan(0) }) |$x| { 1 }.values.map |$v| { $v.size })
