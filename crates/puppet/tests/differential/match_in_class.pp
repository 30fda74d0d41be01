# Classes see the match that is in force where they are included first; functions do not.
class a { notice("a ${1}") }
class b { notice("b ${1}") if 'bar' =~ /b(a)/ { include c notice("b ${1}") } }
class c { notice("c ${1}") }
define d() { notice("d ${1}") }
function f() { $1 }
if 'foo' =~ /f(o)/ { include a include b d { 'x': } notice("f ${f()}") }
