$x = lookup('nothing')
