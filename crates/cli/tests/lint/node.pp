node x
