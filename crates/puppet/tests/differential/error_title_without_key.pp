# Site: title_keys
nameless { 'a': }
