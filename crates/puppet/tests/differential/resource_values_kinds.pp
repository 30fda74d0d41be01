notify { 'values': message => [1, 1.5, true, { 'a' => [undef, 'x'] }, 'text'] }
