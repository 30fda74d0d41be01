class c { }
class { 'c': stage => nothing }
