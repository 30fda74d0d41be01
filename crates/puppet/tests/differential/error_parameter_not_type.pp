define d(File['/a', '/b'] $file) { }
