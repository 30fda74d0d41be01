# Site: ruby_objects

notice(lookup('again'))
