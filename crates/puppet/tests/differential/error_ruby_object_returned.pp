# Site: ruby_objects
notice(own::rich('match'))
