notify { "${keys({ 'a' => 1 })} ${values({ 'a' => 1 })} ${unique([1, 1, 2])} ${flatten([1, [2, [3]]])} ${length('abc')} ${sort([3, 1, 2])} ${max(1, 3)} ${min(1, 3)} ${dig({ 'a' => [1] }, 'a', 0)}": }
