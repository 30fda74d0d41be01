$r = 'B' ? { 'a' => 1, 'b' => 2, default => 3 }
notify { "r${r}": }
