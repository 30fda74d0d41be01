sweep('a', 'b')
