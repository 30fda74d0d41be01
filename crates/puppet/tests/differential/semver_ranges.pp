# Ranges of a type that overlap or touch are put together; the text has the upper bound first.
notice(SemVer['1.x', '2.x'], SemVer['2.x', '>=1.0.0'], SemVer['1.x', '3.x'], SemVer['3.x', '2.x', '1.x'])
notice(SemVer['1.x', '1.2.x'], SemVer['1.2.x', '1.x'], SemVer['1.0.0 - 2.0.0', '2.0.1 - 3.0.0'], SemVer['<1.0.0', '<2.0.0'])
notice(SemVer['*', '1.x'], SemVer[''], SemVer['>=1.0.0-alpha', '1.0.0'], SemVer['1.0.0', '1.0.0'])
notice(SemVer('2.0.0') =~ SemVer['1.x', '1.2.x'], SemVer('2.0.0') =~ SemVer['1.2.x', '1.x'], SemVer('3.0.0') =~ SemVer['1.x', '2.x'])
notice(SemVer['1.x', '2.x'] == SemVer['>=1.0.0 <3.0.0'], SemVer['1.x'] <= SemVer['1.x', '3.x'], SemVer['1.x', '3.x'] <= SemVer['1.x'])
$r = SemVerRange(SemVer('1.0.0'), SemVer('2.0.0'), true)
notice("${r} ${SemVerRange(default, default)}", SemVer('1.5.0') =~ SemVer[$r], SemVer('1.5.0') =~ $r)
class c($p = SemVer['2.x', '>=1.0.0'], $q = SemVer['1.x', '3.x'], $s = SemVerRange(SemVer('1.0.0'), SemVer('2.0.0'))) { }
include c
