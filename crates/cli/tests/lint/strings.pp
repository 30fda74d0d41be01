class strings($p) {
  $a = "plain"
  $b = "with $p and $p-x and ${p}"
  $c = "$p"
  $d = "${p}"
  $e = "${p['a']}"
  $f = "${facts['os']['name']}x${$p}y"
  $g = 'not ${here}'
  $h = inline_template('<%= ${x} %>')
  $i = "escaped \${x} \$y \" ' \\"
  $j = "no \d escape"
  $k = 'true'
  $l = "false"
  $m = 'puppet:///foo/bar'
  $n = "puppet:///modules/foo/${p}"
  $o = "puppet://server/other/${p}"
  $q = "nested ${foo("a ${b} $c", 'x')} end"
  $r = "line
$p in the next"
  $camelCase = $Other::var
  $dash-ed = $x[a-B]
  $s = @("END"/L)
    Text with $p and ${q} and \
    more
    | END
  $t = @(RAW)
    ${no} $interpolation
    |-RAW
  $u = @("A") + @(B)
    a ${x}
    A
    b
    B
  $v = { "${p}" => 1, "k" => "$p" }
  $w = $p =~ /a\/b"c/ ? { true => "$p$q", default => undef }
  $x1 = 1.5e3 + 0x1F - 10 / 2
  $y1 = "${p.map |$i| { $i + 1 }}"
  $z1 = "$$p ${} $"
  $link = "a $::b::c $d::e ${::f}"
  $indent =  "x             y"
}
