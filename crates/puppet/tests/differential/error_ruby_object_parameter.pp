# Site: ruby_objects
class box(String $word) {}
class { 'box': word => own::object('symbol') }
