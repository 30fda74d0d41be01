# Site: ruby_objects
notice(own::rich('list'))
