Notify { message => ['outer'] }
class c {
  Notify { message +> 'inner', * => { withpath => true } }
  notify { 'in': }
}
include c
notify { 'out': }
