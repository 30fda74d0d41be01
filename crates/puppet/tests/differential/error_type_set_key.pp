# Site: ruby_objects
notice(Sets::B(1, 2))
