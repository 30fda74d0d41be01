# Site: ruby_objects
notify { own::object('symbol'): }
