# What matched in a default is gone after it.
class c($a = ['hello' =~ /(h)(.*)/, $1, $2], $b = $1) { notice("${a} ${b} ${1}") }
define d($a = ['hello' =~ /(h)(.*)/, $1], $b = $1) { notice("${a} ${b} ${1}") }
function f($a = ['hello' =~ /(h)(.*)/, $1], $b = $1) { notice("${a} ${b} ${1}") }
include c
d { 'x': }
f()
if 'x' =~ /(x)/ {
  with() |$a = $1, $b = ['hello' =~ /(h)(.*)/, $1], $c = $1| { notice("${a} ${b} ${c} ${1}") }
}
