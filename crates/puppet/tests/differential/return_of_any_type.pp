# What `return` gives is not held against the type of a function; what `next` gives is.
function early() >> Boolean[true] { return('x') }
function inside() >> Integer { [1, 2].each |$x| { return("in ${x}") } 1 }
function bare() >> Integer { return() }
function in_default($x = return('default')) >> Integer { 5 }
notice(early(), inside(), bare() =~ Undef, in_default())
notice(with(1) |$x| >> String { next('a') })
