include m
m::d { 'x': port => 8080 }
notify { "f ${m::double(4)}": }
