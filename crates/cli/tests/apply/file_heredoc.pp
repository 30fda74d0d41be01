$name = 'world'
file { '/w/a': content => @("END") }
  hello ${name}
    indented
  | END
