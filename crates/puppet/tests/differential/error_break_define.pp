define d { break() }
d { 'a': }
