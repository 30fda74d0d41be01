$name_of = 'N'
$a = @(END)
  plain ${name_of} \t
  | END
$b = @("END"/t)
    dented ${name_of}\tx
      more
    |- END
notify { 'a': message => $a }
notify { 'b': message => $b }
