class m {
  notice($own, $::kept, epp('m/own.epp'), m::newest(['1.9', '1.10', '1.2']))
  m::says()
}
