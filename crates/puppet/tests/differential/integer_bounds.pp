# A range that ends at the largest integer has an end.
$bounded = Integer[9223372036854775805, 9223372036854775807]
notify { 'text': message => "${bounded} ${Array[Integer, 1, 9223372036854775807]} ${Integer[1, default]}" }
notify { 'equal': message => Integer[1, 9223372036854775807] == Integer[1] }
notify { 'wider': message => [Integer[1] >= Integer[1, 9223372036854775807], Integer[1, 9223372036854775807] >= Integer[1]] }
notify { 'items': message => $bounded.map |$i| { $i } }
notify { 'back': message => $bounded.reverse_each.map |$i| { $i } }
notify { 'iterable': message => [$bounded =~ Iterable, Integer[1] =~ Iterable] }
