# Site: ruby_objects

notice(lookup('odd'))
