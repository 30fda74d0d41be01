# What functions of the older interface give and take.
$made = create_resources('notify', { 'a' => {}, 'b' => { 'message' => 'x' } })
notice("<${made}>")
tag(['one', [undef, 'two']])
notice(101 in Binary('b25lIHR3byB0aHJlZQ=='))
notice(101.0 in Binary('b25lIHR3byB0aHJlZQ=='))
notice(101.5 in Binary('b25lIHR3byB0aHJlZQ=='))
notice(-1 in Binary('b25lIHR3byB0aHJlZQ=='))
