class c { notify { 'n': } notify { 'loud': noop => false } }
class { 'c': noop => true, loglevel => 'warning', schedule => 'daily' }
