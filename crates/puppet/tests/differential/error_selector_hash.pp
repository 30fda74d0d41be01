$x = { 'a' => undef } ? { 'b' => 1 }
