# A reference that is given as a parameter is shown without quotes, and equals no type.
define show($dep, $more = Class['show::more']) {
  notice("${dep} ${more} ${[$dep]} ${{ 'k' => $dep }}")
  notice(Notify['b'] == $dep, $dep == $dep, $dep =~ Type[Notify], $dep in [Notify['b']])
  notice($more =~ Type[Class], $more =~ Type[CatalogEntry])
  notice({ Notify['b'] => 1 }[$dep], [Notify['b'], 3] - [$dep])
  notice($dep['message'], defined($dep))
  notice(inline_template('<%= @dep %>'), inline_epp('<%= $dep %>'))
  notify { "${title} needs ${dep}": require => $dep, message => { $dep => [$dep, $more] } }
  $dep -> Notify['c']
}

notify { 'b': message => 'of b' }
notify { 'c': }
show { 'a': dep => Notify['b'], require => Notify['b'] }
create_resources('show', { 'x' => { 'dep' => Notify['c'] } })
