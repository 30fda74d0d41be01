$a = 'top'
class c {
  $a = 'class'
  notify { "${a} ${::a}": }
}
include c
