notice(compare('a'))
