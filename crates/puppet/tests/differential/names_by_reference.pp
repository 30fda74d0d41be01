# Names that are no texts: references are only equal to themselves, providers are equal by value.
service { 'a': name => File['/x'] }
service { 'b': name => File['/x'] }
package { 'one': provider => 5, name => 'p' }
package { 'two': provider => '5', name => 'p' }
package { 'three': provider => [5, 6], name => 'p' }
package { 'four': name => 'q' }
package { 'five': name => 'q', provider => true }
file { '/a': mode => '0644', owner => 'x' }
notify { 'parameters':
  message => [
    File['/a'][[mode, [owner]]], File['/a'][[mode]], File['/a'][mode, []], File['/a'][mode],
    File['/none'][[]], File['/none'][undef], File['/none'][undef, undef],
  ],
}
