class c { define d { notify { $title: } }  c::d { 'x': } }
include c
