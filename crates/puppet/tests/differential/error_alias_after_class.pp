class c(Port $port) { }
type Port = Integer[1, 65535]
