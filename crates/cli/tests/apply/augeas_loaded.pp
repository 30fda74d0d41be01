# Files that all lenses load, below another root, and with lenses of the site.
# modules: installed
# setup: mkdir -p /w/r/etc/ssh /w/r/etc/default /w/lenses; cd /w/r/etc; printf '10.0.0.1 a\n' >hosts
# setup: printf 'Port 22\n' >ssh/sshd_config; printf 'A=1\n' >default/x; printf 'tmpfs /tmp tmpfs defaults 0 0\n' >fstab
# setup: printf 'k=v\n' >/w/own
# setup: printf 'module Own =\nautoload xfm\nlet line = [ key /[a-z]+/ . del "=" "=" . store /[^\\n]+/ . del "\\n" "\\n" ]\nlet lns = line*\nlet xfm = transform lns (incl "/own")\n' >/w/lenses/own.aug
augeas { 'absolute': root => '/w/r', changes => 'set /files/etc/hosts/1/canonical b' }
augeas { 'context of a file': root => '/w/r', context => '/files/etc/ssh/sshd_config', changes => 'set Port 23' }
augeas { 'context with a slash': root => '/w/r', context => '/files/etc/ssh/sshd_config/', changes => 'set Protocol 2' }
augeas { 'two files':
  root    => '/w/r/',
  context => '/files/etc',
  changes => ['set default/x/A 2', 'set fstab/1/dump 1', 'set default/new/B 3'],
}
augeas { 'relative': root => '/w/r', changes => 'set etc/default/x/C 4' }
augeas { 'context is an expression':
  root    => '/w/r',
  context => "/files/etc/hosts/*[ipaddr = '10.0.0.1']",
  changes => 'set alias al',
}
augeas { 'tree': context => '/augeas/x', changes => 'set y z' }
augeas { 'no file of the context': root => '/w/r', context => '/files/etc/nothing/here', changes => 'rm x' }
augeas { 'own lens': root => '/w', load_path => '/nowhere:/w/lenses', changes => 'set /files/own/k w' }
augeas { 'own lens by name':
  root      => '/w',
  load_path => ['/w/lenses'],
  incl      => '/own',
  lens      => 'Own.lns',
  changes   => 'set l x',
}
