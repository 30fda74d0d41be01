$x = lookup('a', Integer)
