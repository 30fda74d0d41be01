define m::d(M::Port $port) { notify { "${title} ${port}": } }
