notify { 'a': }
notify { "${nothing}": }
