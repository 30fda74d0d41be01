# A precision does not cut a character; a reference shows the attribute that the title stands for.
notice(sprintf('%5.0c|', 65), sprintf('%-5.0cx', 65), sprintf('%.0c', 65), sprintf('%5.1c|', 'b'))
notice(sprintf('%p', File['/x']), sprintf('%p', Class['a']), sprintf('%p %s', [Exec['x'], Notify['y']], [File['/z']]))
notify { 'x': message => sprintf('%+5.0c', 65) }
