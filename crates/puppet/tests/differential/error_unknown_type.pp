nothing { 'a': }
