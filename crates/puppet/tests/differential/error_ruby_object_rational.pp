# Site: ruby_objects
notify { 'a': message => 'x' }
notify { 'b':
  message => own::object('hash'),
}
