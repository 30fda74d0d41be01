$x = assert_type('Any[1]', 1)
