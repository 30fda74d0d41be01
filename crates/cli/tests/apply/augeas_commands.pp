# differs: log: a warning names the resources that change something each time
# Every set of attributes on a copy of the same files of its own.
# modules: installed
# setup: mkdir /w/in; cd /w/in; printf '127.0.0.1 localhost lo\n10.0.0.1\ta b # c\n10.0.0.2 x\n' >hosts
# setup: printf '# main\n[main]\n  k = v\nl=w\n\n[other]\nm = 1\n' >puppet.conf
# setup: printf 'Port 22\n#Port 23\nPermitRootLogin no\nAcceptEnv LANG LC_*\nMatch User x\n  X11Forwarding no\n' >sshd
# setup: printf 'A="b c"\n# comment\nexport D=e\nF='"'"'g'"'"'\n' >shell; chmod 0600 shell; chown 1:1 sshd
# setup: printf 'k = 1\nnet.ipv4.ip_forward=0\n' >sysctl.conf; printf '{"a": [1, "two"], "b": null}\n' >json
# setup: cd /w; for p in $(seq 0 49); do cp -a in $p; done; ln -s hosts /w/20/link
$lens = {
  'hosts' => 'Hosts.lns', 'puppet.conf' => 'Puppet.lns', 'sshd' => 'Sshd.lns', 'shell' => 'Shellvars.lns',
  'sysctl.conf' => 'Sysctl.lns', 'json' => 'Json.lns', 'new' => 'Hosts.lns', 'link' => 'Hosts.lns',
}
$sets = [
  ['hosts', { changes => 'set 2/canonical z' }],
  ['hosts', { changes => ['set 01/ipaddr 1.2.3.4', "set 01/canonical 'foo'", 'set 01/alias[1] "bar"'] }],
  ['hosts', { changes => "set 01/ipaddr 1.2.3.4\n  set 01/canonical foo\n\n" }],
  ['hosts', { changes => 'rm 2' }],
  ['hosts', { changes => "rm *[ipaddr = '10.0.0.2']" }],
  ['hosts', { changes => 'remove *[label() != "1"]' }],
  ['hosts', { changes => ['ins 01 before 2', 'set 01/ipaddr 9.9.9.9', 'set 01/canonical n'] }],
  ['hosts', { changes => ['insert 01 after 1', 'set 01/ipaddr 9.9.9.9', 'set 01/canonical n'] }],
  ['hosts', { changes => ['ins alias after 2/alias[last()]', 'set 2/alias[last()] q'] }],
  ['hosts', { changes => 'mv 1 4' }],
  ['hosts', { changes => ['move 2/alias 3/alias'] }],
  ['hosts', { changes => 'rename 1 03' }],
  ['hosts', { changes => 'setm * canonical same' }],
  ['hosts', { changes => 'set 1/canonical localhost' }],
  ['hosts', { changes => ['defvar e "*[ipaddr = \'10.0.0.1\']"', 'set $e/canonical viavar'] }],
  ['hosts', { changes => ['defnode e 07/ipaddr 7.7.7.7', 'set $e 7.7.7.8', 'set 07/canonical s'] }],
  ['hosts', { changes => ['rm 2', 'set 02/ipaddr 10.0.0.1', 'set 02/canonical a'] }],
  ['hosts', { changes => 'set 1/canonical x', onlyif => 'match 9 size > 0' }],
  ['hosts', { changes => 'set 1/canonical x', force => false }],
  ['hosts', { changes => 'set 1/canonical localhost', context => '' }],
  ['link', { changes => 'set 1/canonical linked' }],
  ['hosts', { changes => 'set $inexistent x', onlyif => 'match 1 size == 0' }],
  ['hosts', { changes => '', onlyif => 'match 1 size == 1' }],
  ['new', { changes => ['set 01/ipaddr 1.2.3.4', 'set 01/canonical new'] }],
  ['new', { changes => 'rm 1' }],
  ['puppet.conf', { changes => 'set main/k "two words"' }],
  ['puppet.conf', { changes => ['set main/new 1', 'set fresh/z 2', 'rm other/m'] }],
  ['puppet.conf', { changes => 'clear main/#comment[1]', onlyif => 'match main/#comment size > 0' }],
  ['sshd', { changes => ['set Port 2222', 'set PermitRootLogin yes'] }],
  ['sshd', { changes => 'set AcceptEnv/3 "X Y"', onlyif => 'match AcceptEnv/* size < 2' }],
  ['sshd', { changes => ['set AcceptEnv/3 XY', 'set Match[1]/Settings/X11Forwarding yes'] }],
  ['sshd', { changes => 'rm Match' }],
  ['sshd', { changes => "rm Match[Condition/User = 'x']" }],
  ['shell', { changes => 'set A \'"x y"\'' }],
  ['shell', { changes => 'set A "\"q\""' }],
  ['shell', { changes => ['clear D/export', 'rm F', 'touch A/export'] }],
  ['shell', { changes => "set N \"'it is'\"" }],
  ['sysctl.conf', { changes => ['set net.ipv4.ip_forward 1', 'touch k'] }],
  ['sysctl.conf', { changes => 'set new.key[. = "5"] 5' }],
  ['json', { changes => 'set dict/entry[. = "a"]/array/string three' }],
  ['json', { changes => ['set dict/entry[last()+1] c', 'set dict/entry[last()]/string "tab	é ]["'] }],
  ['json', { changes => 'set dict/entry[1]/array/string "back\\\\\\\\slash"' }],
  ['hosts', { changes => 'set 1/canonical noshow', show_diff => false }],
  ['hosts', { changes => ['set 1/canonical checked'], type_check => true }],
  ['hosts', { changes => [['set 1/canonical flat'], ['set 2/canonical flat2']], returns => 0 }],
  ['hosts', { changes => 'clearm * #comment', onlyif => 'match 2/#comment size > 5' }],
]
$sets.each |$i, $set| {
  [$file, $attributes] = $set
  augeas { "${i} ${file}":
    incl => "/w/${i}/${file}",
    lens => $lens[$file],
    *    => $attributes,
  }
}
