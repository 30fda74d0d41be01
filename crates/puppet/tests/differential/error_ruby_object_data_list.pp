# Site: ruby_objects
notice(lookup('nested'))
