function m::dd($segments, $options, $context) {
  if $segments[0] == 'dd' { [$segments, $options] } else { $context.not_found }
}
