type Port = Integer[1, 10]
Port.assert_type(11)
