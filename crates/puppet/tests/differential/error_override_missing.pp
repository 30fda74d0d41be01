Notify['a'] { message => 'y' }
