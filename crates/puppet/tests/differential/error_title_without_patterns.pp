# Site: title_keys
harbor { 'a': }
