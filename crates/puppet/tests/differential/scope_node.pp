$v = 'top'
node 'node.example.org' {
  $v = 'node'
  include c
}
class c { notify { "class sees ${v}": } }
