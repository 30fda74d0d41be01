# Site: title_keys
twofold { 'a': coast => 'x' }
