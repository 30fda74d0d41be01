package { 'redis gem': name => 'redis', provider => 'gem' }
package {
  'redis': provider => 'gem',
}
