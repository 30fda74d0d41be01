$numbers = [0, 42, 0x1F, 017, 1.5, 2e3, -7, -1.25]
$texts = ['its', 'a\'b\\c\d', "tab\t${numbers[0]} $numbers \$x \u00e4\u{1f600}"]
$words = [true, false, undef, default, name, Type, a::b, A::B]
$pattern = /^web\d+\/(?<rest>.*)$/
$hash = { a => 1, 'b' => { c => [] }, 3 => undef, }
$splat = [*$numbers, *[1]]
