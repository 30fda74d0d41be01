$x = attr
class unless { }
