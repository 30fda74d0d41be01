$uri = URI('http://a')
notice($uri =~ URI[{ 'port' => undef }], $uri =~ URI[{ 'port' => 80 }], $uri =~ URI[{ 'host' => /a/ }], $uri =~ URI[{ 'path' => undef }])
notice(type(URI('')))
