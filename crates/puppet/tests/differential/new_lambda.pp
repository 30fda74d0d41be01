# What is of the type already is the result, and the lambda is not asked.
notify { 'new':
  message => [
    Integer(3) |$x| { $x + 1 },
    Integer('3') |$x| { $x + 1 },
    String.new('a') |$x| { "<${x}>" },
    String.new(4) |$x| { "<${x}>" },
    Optional[Integer].new(3) |$x| { 9 },
    Hash({ 'a' => 1 }) |$x| { $x.keys },
    Hash([1, 2]) |$x| { $x.keys },
    new(Integer, 3) |$x| { 9 },
    3.convert_to(Integer) |$x| { $x + 1 },
    '3'.convert_to(Integer) |$x| { $x + 1 },
  ],
}
