# Every text of the setup with every set of attributes.
# modules: installed
# setup: mkdir /w/in; cd /w/in
# setup: : >empty; printf 'a\n' >one; printf 'a' >open; printf 'b\na\nb\nab\n' >some
# setup: printf 'a\r\nb\r\nx = 1\r\n' >crlf; printf '\n\n  a  \n\ta\n' >blank; printf 'a\na\nb\na' >twice
# setup: printf '# x = 0\nx = 1\ny = 2\n' >settings; printf 'x = 1\nx = 2\nx = 3\n' >three
# setup: printf 'd\303\251j\303\240\na\n' >unicode; printf 'x = 7\nx = 1\nx = 7\nz\n' >mixed
# setup: printf 'l\nx = 1' >open2; printf 'a\n\nx=1\n\n' >ends; printf 'x = 7' >done
# setup: printf 'plain\n' >target; ln -s target link; chmod 0600 one; chown 1:1 some
# setup: cd /w; for p in $(seq 0 23); do cp -a in $p; done
$texts = [
  'empty', 'one', 'open', 'some', 'crlf', 'blank', 'twice', 'settings', 'three', 'unicode', 'mixed',
  'open2', 'ends', 'done', 'link',
]
$sets = [
  { line => 'a' },
  { line => 'x = 7', match => '^x\s*=' },
  { line => 'x = 7', match => '^x\s*=', multiple => true },
  { line => 'x = 7', match => '^x\s*=', replace => false },
  { line => 'x = 7', match => '^x\s*=', append_on_no_match => false },
  { line => 'new', after => '^a$' },
  { line => 'new', after => '^a', multiple => true },
  { line => 'new', after => '^b', match => '^new' },
  { line => 'x = 7', match => '^x', after => '^a', append_on_no_match => false, multiple => true },
  { line => 'x = 7', match => '^x\s*=', replace_all_matches_not_matching_line => true },
  { line => 'x = 7', match => '^x\s*=', replace_all_matches_not_matching_line => true,
    multiple => true },
  { line => 'a', ensure => absent },
  { line => 'x = 1', ensure => absent, match => '^x' },
  { ensure => absent, match => '^x', match_for_absence => true },
  { ensure => absent, match => '^x', match_for_absence => true, multiple => true },
  { line => 'x = 1', ensure => absent, match => '^x = 1', match_for_absence => true },
  { line => 'déjà' },
  { line => 'voilà', match => '^d.j.$' },
  { line => '' },
  { line => '  a  ', match => '(?i:A)  $' },
  { line => 'x = 7', match => '(\w) = (?!7)\d', multiple => 'true' },
  { line => 'a', encoding => 'iso-8859-1' },
  { line => 'q', match => '\Aa$', replace => 'false', append_on_no_match => 'false' },
  { line => 'w', match => 'a\n\z|\Ab', multiple => true },
]
$sets.each |$i, $attributes| {
  $texts.each |$text| {
    file_line { "${i} ${text}":
      path => "/w/${i}/${text}",
      *    => $attributes,
    }
  }
}
