# Site: ruby_objects
notice(lookup('plain'), lookup('keys'), lookup('list'))
notice(lookup('symbol'))
