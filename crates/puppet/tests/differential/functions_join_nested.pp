notify { 'a': message => join([[[], [2, []]], 1, [], undef, ''], '-') }
