$x = Integer[2, 1]
