class c { if tagged('c') { notify { 'tagged': } } if tagged('nothing') { notify { 'not': } } }
include c
