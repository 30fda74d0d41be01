class params { $port = 80 }
class srv($port = $params::port) inherits params { notify { "port ${port}": } }
include srv
