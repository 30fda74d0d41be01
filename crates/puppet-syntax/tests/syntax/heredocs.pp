$plain = @(END)
  Text ${as} it is \n
  | END
$live = @("END"/tn$)
    Text ${live}\twith \$escapes
    | - END
$json = @(J:json)
  { "a": [1, 2] }
  | J
$two = [@(A), @(B)]
first
A
second
B
