# Settings of the same file, in noop, on a refresh, in what is no file.
# modules: installed
# setup: printf '[a]\nk = v\nl = w\n' >/w/f; cp /w/f /w/g; cp /w/f /w/h; mkdir /w/dir; printf 'a = \377\n' >/w/bad
Ini_setting { path => '/w/f' }
ini_setting { 'one': section => 'a', setting => 'k', value => '1' }
ini_setting { 'two': section => 'a', setting => 'l', value => '2' }
ini_setting { 'three': section => 'b', setting => 'k', value => '3' }
ini_setting { 'four': section => 'c', setting => 'k', value => '4' }
ini_setting { 'five': setting => 'k', value => '5' }
exec { '/bin/true': }
~> ini_setting { 'later': path => '/w/g', section => 'a', setting => 'k', value => 'l', refreshonly => true }
exec { '/bin/true again': command => '/bin/true' }
~> ini_setting { 'gone later': path => '/w/g', section => 'a', setting => 'l', ensure => absent, refreshonly => true }
exec { '/bin/true once more': command => '/bin/true' }
~> ini_setting { 'told': path => '/w/g', section => 'b', setting => 'l', value => 'm' }
ini_setting { 'directory': path => '/w/dir', section => 'a', setting => 'l', value => '1' }
ini_setting { 'below': path => '/w/none/f', section => 'a', setting => 'l', value => '1' }
ini_setting { 'bad': path => '/w/bad', section => 'a', setting => 'l', value => '1' }
ini_setting { 'secret': path => '/w/h', section => 'a', setting => 'k', value => Sensitive('hidden') }
ini_setting { 'parent': path => '/w/made/f', section => 'a', setting => 'l', value => '1' }
file { '/w/made': ensure => directory }
