$hash = {'a'=>1,'long key'  =>[1,2,3,],
  'b' => {'nested'=>true} }
$list = [1,2,
   3]
$call = merge($a, {
    'x' => 1,
  'yy' => 2 })
$fill = validate('a', 'b',
                 'c')
$own = validate(
  'a','b'
)
$hugged = [{
    'a' => 1
}, {
    'bb' => 2
}]
$value = { 'key' =>
  {
    'x' => 1 }
}
$empty = {  }
$none = [ ]
$access = $facts [ 'os' ]
$path = $facts['os']['release']
# A comment before the end.
$last = [
  1,
  # the last one
  2
  # nothing more
]
