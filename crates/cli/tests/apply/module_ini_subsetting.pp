# Every file of the setup with every set of attributes.
# modules: installed
# setup: mkdir /w/in; cd /w/in
# setup: : >empty; printf 'J = "-Xmx512m -Xms256m"\n' >quoted; printf 'J=-Xmx512m  -Xms256m -Xmx1g\n' >plain
# setup: printf "J = '-Xmx512m'\n" >single; printf 'J = \n' >bare; printf 'J = -Xmx512m\n' >only
# setup: printf 'J = a=1,b=2, c=3\n' >list; printf '# J = -Xmx1m\nother = 1\n' >comment
# setup: printf '[s]\nJ = -Xmx512m x y\n' >section; printf 'J = "-Xmx512m\n' >half; printf 'J = \303\251 -Xmx\303\240\n' >unicode
# setup: cd /w; for p in $(seq 0 19); do cp -a in $p; done
$files = [
  'empty', 'quoted', 'plain', 'single', 'bare', 'only', 'list', 'comment', 'section', 'half', 'unicode', 'new',
]
$sets = [
  { subsetting => '-Xmx', value => '256m' },
  { subsetting => '-Xmx', value => '512m' },
  { subsetting => '-Xmx', ensure => absent },
  { subsetting => '-Xmx', ensure => absent, delete_if_empty => true },
  { subsetting => '-Xmx', ensure => absent, delete_if_empty => false },
  { subsetting => '-new', value => '1', quote_char => '"' },
  { subsetting => '-new', value => '1', insert_type => start },
  { subsetting => '-new', value => '1', insert_type => before, insert_value => '-Xms' },
  { subsetting => '-new', value => '1', insert_type => after, insert_value => '-Xmx' },
  { subsetting => '-new', value => '1', insert_type => index, insert_value => 1 },
  { subsetting => '-new', value => '1', insert_type => index, insert_value => '9' },
  { subsetting => 'b', value => '7', subsetting_separator => ',', subsetting_key_val_separator => '=' },
  { subsetting => 'd', value => '7', subsetting_separator => ', ', subsetting_key_val_separator => '=' },
  { subsetting => 'x', use_exact_match => true, section => 's' },
  { subsetting => 'x', use_exact_match => true, section => 's', ensure => absent },
  { subsetting => '-Xmx', value => '1', section => 's', show_diff => false },
  { subsetting => '-Xmx', value => 'é', show_diff => md5 },
  { subsetting => '-Xmx', value => '1', key_val_separator => '=' },
  { subsetting => '-Xmx512m', use_exact_match => 'true' },
  { subsetting => '-Xmx', value => '1', quote_char => "'", insert_type => 'end' },
]
$sets.each |$i, $attributes| {
  $files.each |$file| {
    ini_subsetting { "${i} ${file}":
      path    => "/w/${i}/${file}",
      setting => 'J',
      *       => $attributes,
    }
  }
}
