$x = lookup('a')
