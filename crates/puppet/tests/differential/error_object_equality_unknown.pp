$x = Object[{ attributes => { a => Integer }, equality => [b] }]
