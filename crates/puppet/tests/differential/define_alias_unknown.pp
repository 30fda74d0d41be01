# What an alias stands for has to be known when it is used, which it is not here.
type Later = Nothing
define d(Later $x) { }
notify { 'a': }
