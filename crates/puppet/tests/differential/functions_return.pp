function f($x) { if $x { return('early') }  'late' }
notify { "${f(true)} ${f(false)}": }
