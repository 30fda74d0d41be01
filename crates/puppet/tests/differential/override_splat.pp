class base {
  notify { 'x': message => 'base' }
  notify { 'y': }
}
class derived inherits base {
  Notify['x'] { * => { message => 'derived', withpath => true } }
  $kind = Notify
  $kind['y'] { message => 'by variable' }
}
include derived
notify { ['p', 'q']: }
Resource['Notify', 'p', 'q'] { withpath => false }
