notice(String(URI('http://example.com:8080/a'), '%i'))
