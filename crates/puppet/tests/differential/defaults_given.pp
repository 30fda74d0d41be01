$late = 'outer'
class c($early = $late, $late = 'default') { notify { "c ${early} ${late}": } }
class { 'c': late => 'given' }
define d($early = "<${late}>", $late = 'default') { notify { "d ${early} ${late}": } }
d { 'x': late => 'given' }
function f($early, $late = $early) { "f ${early} ${late}" }
notify { f(1): }
notify { inline_epp("<%- | \$early = \$late, \$late = 1 | -%>epp <%= \$early %>", { 'late' => 2 }): }
