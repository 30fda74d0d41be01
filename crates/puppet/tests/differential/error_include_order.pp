# All classes are looked up before one is put into the catalog.
class one inherits none { }
include one, none
