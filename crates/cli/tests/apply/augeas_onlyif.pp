# differs: resources: for Puppet, values with other letters than those of ASCII never equal a text
# differs: log: the same
# differs: files: the same
# Which of the conditions hold.
# modules: installed
# setup: mkdir /w/in; printf '10 a é # c d\n2.5\tb\n10 c\n' >/w/in/hosts; cd /w; for p in $(seq 0 79); do cp -a in $p; done
$conditions = [
  'get 1/canonical == a', 'get 1/canonical != a', 'get 1/canonical == b', 'get 1/ipaddr > 9',
  'get 1/ipaddr < 9', 'get 1/ipaddr >= 10.0', 'get 1/ipaddr <= 9.99', 'get 2/ipaddr > 2.25',
  'get 1/ipaddr == 10.0', 'get 1/canonical > B', 'get 1/canonical < B', 'get 9/canonical == ""',
  'get 9/canonical != ""', 'get 9/canonical == x', 'get */canonical == ""', 'get 1/canonical =~ ^[a-b]$',
  'get 1/canonical =~ ^x', "get 1/#comment == 'c d'", 'get 1/#comment == "c d"', 'get 1/#comment =~ "c\sd"',
  'get 1 == ""', 'get 1/alias == é', 'match * size == 3', 'match * size != 3', 'match * size > 2',
  'match * size >= 4', 'match * size < 3', 'match * size <= 3', 'match 9 size == 0', 'match * size == x',
  "match *[ipaddr = '10'] size == 2", 'match *[ipaddr = "2.5"] size == 1', 'match */alias size == 1',
  'values */canonical include a', 'values */canonical include z', 'values */canonical not_include z',
  'values */canonical not_include b', "values */canonical == ['a', 'b', 'c']",
  'values */canonical == ["a", "b", "c"]', "values */canonical == ['a','b']", "values */canonical != ['a','b']",
  "values */canonical == [ 'a' , 'b' , 'c' ]", "values */canonical != ['a', 'b', 'c']", 'values 9 == []',
  "values 1/alias == ['é']", 'values 1/alias == ["\u00e9"]', 'values 1/#comment == ["c\x20d"]',
  "values 1/#comment include 'c d'", "values * == ['', '', '']", 'values * include ""',
  'match 9 == []', 'match 9 != []', 'match * != []',
  'match */alias not_include x', "  match   *   size   ==   3  ", 'match 1/alias[1] size == 1',
  'match /augeas//error size == 0', 'match $none size == 0', "get '1/canonical' == 'a'",
  'get 1/canonical/ == a', 'get 1/canonical == a trailing',
]
$conditions.each |$i, $condition| {
  augeas { "${i} ${condition}":
    incl    => "/w/${i}/hosts",
    lens    => 'Hosts.lns',
    onlyif  => $condition,
    changes => 'set 3/canonical z',
  }
  augeas { "paths ${i}":
    incl    => "/w/${i}/hosts",
    lens    => 'Hosts.lns',
    onlyif  => "match *[ipaddr = '10'] include /files/w/${i}/hosts/1",
    changes => 'set 3/alias z',
  }
}
augeas { 'in order':
  incl    => '/w/70/hosts',
  lens    => 'Hosts.lns',
  onlyif  => "match *[ipaddr = '10'] == ['/files/w/70/hosts/1', '/files/w/70/hosts/3']",
  changes => 'set 2/canonical y',
}
augeas { 'of several, the first':
  incl    => '/w/71/hosts',
  lens    => 'Hosts.lns',
  onlyif  => ['match 1 size == 1', 'match 1 size == 0'],
  changes => 'set 2/canonical y',
}
