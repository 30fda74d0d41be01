# Objects that a template puts into its scope, and others change; arguments behind a star.
define shop($goods) {
  notice(template('m/outer.erb'))
  notice($_state)
}
shop { 'a': goods => ['x', 'y'] }
shop { 'b': goods => ['z'] }
$pairs = { 'one' => 1, 'two' => undef }
notice(inline_template("<%= scope.call_function('m::shown', @pairs) %>"))
notice(inline_template("<%= scope.call_function('m::shown', ['a', ['b']]) %>"))
notice(inline_template("<%= scope.call_function('m::shown', 'text') %>"))
