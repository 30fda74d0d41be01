stage { 'first': before => Stage['main'] }
class early { notify { 'early': } }
class { 'early': stage => first }
