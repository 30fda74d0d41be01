include m
m::tool { 'x': }
