# Every file of the setup with every set of attributes. Settings that are there twice, and sections
# that lose their last setting, are left out: versions of the module differ in them.
# modules: installed
# setup: mkdir /w/in; cd /w/in
# setup: : >empty; printf 'k = v\n' >global; printf 'k=v' >open; printf '[a]\nk = v\nl = w\n' >one
# setup: printf '[a]\n  k = v\n    l = w\n\n\n[b]\nk=x\nm=n\n' >two
# setup: printf '[a]\r\nk = v\r\nl = w\r\n' >crlf; printf '[a]\n; k = old\n#x=1\nm = n\n' >comments
# setup: printf '\n\n' >blank; printf '# only\n' >comment; printf 'g = 1\n\n[a]\nz = 1\n[b c]\nk = v  \nl=w' >mixed
# setup: printf '[d\303\251j\303\240]\n\303\251 = \303\240\nk = \303\251\nl = 1\n' >unicode
# setup: printf '[a]\nk : v\nl: w\n' >colon; printf '  [ a ]  \nk  =  v\nq = r\n' >spaces
# setup: printf '[a]\n; k = 1\n\n; k = 2\nl = w\n[b]\n\n' >gaps; printf '<a>\nk v\nl w\n' >angles
# setup: printf '[a]\nk = v\nl = w\n' >target; ln -s target link; chmod 0600 one; chown 1:1 two
# setup: cd /w; for p in $(seq 0 24); do cp -a in $p; done
$files = [
  'empty', 'global', 'open', 'one', 'two', 'crlf', 'comments', 'blank', 'comment', 'mixed', 'unicode',
  'colon', 'spaces', 'gaps', 'angles', 'link', 'new',
]
$sets = [
  { section => 'a', setting => 'k', value => 'v' },
  { section => 'a', setting => 'k', value => 'new' },
  { section => 'a', setting => 'x', value => 'y z' },
  { section => '', setting => 'k', value => '1' },
  { setting => 'fresh', value => 5 },
  { section => 'b', setting => 'k', value => true },
  { section => 'new', setting => 'k', value => '  v  ' },
  { section => 'new', setting => 'k', value => 'v', force_new_section_creation => false },
  { section => 'a', setting => 'l', ensure => absent },
  { section => 'missing', setting => 'k', ensure => absent },
  { section => 'a', setting => 'missing', ensure => absent },
  { section => 'a', setting => 'k', value => 'v', key_val_separator => '=' },
  { section => 'a', setting => 'k', value => 'w', key_val_separator => ': ' },
  { section => 'a', setting => 'k', value => 'w', key_val_separator => ' ', section_prefix => '<',
    section_suffix => '>' },
  { section => 'a', setting => 'i', value => '1', indent_char => "\t", indent_width => 2 },
  { section => 'a', setting => 'i', value => '1' },
  { section => 'a', setting => 'm', value => '' },
  { section => 'b c', setting => 'l', value => 'ü' },
  { section => 'déjà', setting => 'é', value => 'è' },
  { section => 'only' },
  { section => 'a', setting => 'k', value => 'hidden', show_diff => false },
  { section => 'a', setting => 'k', value => 'summed', show_diff => md5 },
  { section => 'a', setting => 'k', value => 'later', refreshonly => true },
  { section => 'a', setting => 'k', value => 'w', key_val_separator => "  " },
  { section => ' a ', setting => 'k', value => 'v', force_new_section_creation => 'yes' },
]
$sets.each |$i, $attributes| {
  $files.each |$file| {
    ini_setting { "${i} ${file}":
      path => "/w/${i}/${file}",
      *    => $attributes,
    }
  }
}
