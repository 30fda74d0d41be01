if $a { notice(1) } elsif $b { notice(2) } else { notice(3) }
unless $a { notice(4) } else { notice(5) }
case $a {
  1, 2: { notice(6) }
  /x/, Integer: { notice(7) }
  default: { }
}
$b = if $c { 1 } else { 2 }
