class c inherits nothing { }
include c
