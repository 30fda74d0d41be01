notify { "${'a' in 'CAT'} ${[1, 2] + 3} ${{ 'a' => 1 } + { 'b' => 2 }} ${[1, 2, 1] - 1} ${'abc' == 'ABC'} ${!true or false}": }
