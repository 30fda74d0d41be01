class a($noop = 1) { }
define b($x, $tag) { }
