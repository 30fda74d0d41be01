#!/usr/bin/puppet


# top
class a { # behind the brace
# indented with its block
  $a = 1 # one
  $bcd = 2      # two
  $e = 3        # three
  /* block */ $f = 4
  if $a {
    # only a comment
  }
  # before else
  else {
    notice('x')
  }
  # ordain: fmt off
  $table = [ 1,  0,
             0,  1 ]
  # ordain: fmt on
  $after=1
  foo('a' # first
    , 'b')
}
# end
