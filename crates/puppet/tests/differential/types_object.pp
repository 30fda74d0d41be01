type Point = Object[{ attributes => { 'x' => Integer, 'y' => { 'type' => Integer, 'value' => 0 } } }]
$p = Point(3)
notify { "${p.x} ${p.y} ${p}": }
