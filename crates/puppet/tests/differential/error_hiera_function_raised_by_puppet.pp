# Site: ruby_objects

notice(lookup('raised_by_puppet'))
