notify { 'a': stage => main }
