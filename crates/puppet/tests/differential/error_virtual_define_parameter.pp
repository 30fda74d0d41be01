# What stays virtual is checked at the end.
define d(Integer $size) { }
@d { 'a': size => 'large' }
