# Site: ruby_objects
notice(lookup('deep'))
