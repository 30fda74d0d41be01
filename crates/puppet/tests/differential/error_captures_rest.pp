define d(*$a) { }
