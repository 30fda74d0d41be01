# Site: ruby_objects

notice(lookup('raised'))
