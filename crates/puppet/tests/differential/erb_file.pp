$top = 'of the site'
include m
m::item { 'one': values => ['a', undef, 1.5, true], opts => { 'k' => ['v', undef] } }
notify { 'both': message => template('m/plain.erb', 'm/values.erb') }
