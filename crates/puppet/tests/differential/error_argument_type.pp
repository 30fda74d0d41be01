$x = upcase(1)
