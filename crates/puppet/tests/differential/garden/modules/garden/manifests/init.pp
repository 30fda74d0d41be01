class garden {
  $bed = 'roses'
  notice(rake_up(undef, [undef, 'x', File['/y'], {'a' => undef}], /z/, 1.5, true, default))
  sweep('yard')
}
