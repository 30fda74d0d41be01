# Site: ruby_objects

notice(lookup('fails'))
