tag('A b')
