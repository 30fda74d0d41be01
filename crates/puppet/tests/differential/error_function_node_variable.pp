function shown() { [1].map |$x| { $own } }
node default {
  $own = 1
  notice(shown())
}
