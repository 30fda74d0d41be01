# A zone is what a text begins with.
$t = Timestamp(1500000000.5)
notice($t.strftime('a', 'a-b_c'), $t.strftime('%T%z', 'a-b_c'), $t.strftime('%T%z', 'EST dst x'), $t.strftime('%T%z', 'CET/CEST'))
notice($t.strftime('%T%z', 'est standard time'), $t.strftime('%T%z', '+5.5'), $t.strftime('%T%z', 'utc+5:75'), $t.strftime('%T%z', '+1234567'))
notice($t.strftime('%T%z', 'gmt-3:30:15'), $t.strftime('%T%z', 'utc+'), $t.strftime('%E %:', 'a b'))
notice(Timestamp('2000-01-01', '%Y-%m-%d', 'est+5') == Timestamp('2000-01-01T05:00:00 UTC'))
