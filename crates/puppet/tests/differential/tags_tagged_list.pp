class c {
  notice(tagged('c'), tagged('c', 'class'), tagged(['c']), tagged(['c'], 'c'))
}
include c
