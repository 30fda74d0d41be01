a, b'
