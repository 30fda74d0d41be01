notice(lookup('a', 1))
