# What lambdas declare belongs to the code around them, also after other lambdas have run.
define inner($value) {
  notify { "inner ${name}": message => $value }
}
class outer {
  ['a', 'b', 'c'].each |$name| {
    inner { $name: value => $name.upcase }
    @notify { "virtual ${name}": }
  }
  [1, 2].each |$n| { Notify <| title == "virtual a" |> }
}
class other {
  [1].map |$x| { notify { "other ${x}": } }
}
include outer
include other
