class plain($number = 10, $nothing = undef) {
  notice("plain: '${number}' '${nothing}'")
}
class given($number = 10, $nothing = undef, $required) {
  notice("given: '${number}' '${nothing}' '${required}'")
}
class given_undef($number = 10, $nothing = undef, $required) {
  notice("given_undef: '${number}' '${nothing}' '${required}'")
}
class found($number = 10, $nothing = undef, $required) {
  notice("found: '${number}' '${nothing}' '${required}'")
}
class found_given($number = 10, $nothing = undef, $required) {
  notice("found_given: '${number}' '${nothing}' '${required}'")
}
class found_undef($number = 10, $nothing = undef, $required) {
  notice("found_undef: '${number}' '${nothing}' '${required}'")
}
class { 'plain': }
class { 'given': number => 20, nothing => 20, required => 20 }
class { 'given_undef': number => undef, nothing => undef, required => undef }
class { 'found': }
class { 'found_given': number => 20, nothing => 20, required => 20 }
class { 'found_undef': number => undef, nothing => undef, required => undef }

define instance($number = 10, $nothing = undef, $required) {
  notice("${title}: '${number}' '${nothing}' '${required}'")
}
instance { 'without': required => undef }
instance { 'undef': number => undef, nothing => undef, required => 1 }
