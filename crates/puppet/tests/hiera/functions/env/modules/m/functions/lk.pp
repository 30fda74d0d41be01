function m::lk($key, $options, $context) {
  if $key == 'lk' { $context.cache('x', 3) $context.cached_value('x') }
  elsif $key == 'li' { $context.interpolate('<%{role}>') }
  elsif $key == 'lo' { $context.cache_has_key('nope') }
  else { $context.not_found() }
}
