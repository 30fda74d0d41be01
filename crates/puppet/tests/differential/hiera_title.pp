class parent { }
class first($title_of, $name_of, $later = lookup('shown')) { notice($title_of, $name_of, $later, lookup('shown')) }
class second($title_of) inherits parent { notice($title_of) }
define third { include first }
third { 'x': }
include second
