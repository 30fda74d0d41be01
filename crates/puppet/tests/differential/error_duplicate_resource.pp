notify { 'a': }

notify { 'a': }
