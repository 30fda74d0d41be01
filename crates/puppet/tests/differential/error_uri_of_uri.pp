$x = URI[URI('http://a')]
