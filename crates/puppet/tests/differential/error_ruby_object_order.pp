# Site: ruby_objects
notice(own::object('symbol') < 'z')
