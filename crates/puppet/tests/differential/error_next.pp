notice('a')
next()
