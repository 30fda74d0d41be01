class d { }
d { 'x': }
