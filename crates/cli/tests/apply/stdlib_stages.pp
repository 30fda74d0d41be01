# modules: installed
include stdlib
include stdlib::stages
class setup { exec { '/bin/sh -c "echo setup >> /w/log"': } }
class { 'setup': stage => 'setup' }
exec { '/bin/sh -c "echo main >> /w/log"': }
