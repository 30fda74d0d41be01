exec { 'list': command => ['/bin/echo', 'a b', '$HOME'], logoutput => true }
