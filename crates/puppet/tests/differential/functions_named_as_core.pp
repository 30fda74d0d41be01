function abs($x) { "mine" }
notify { abs(-1): }
