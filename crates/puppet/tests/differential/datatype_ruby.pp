# Data types that a module has in Ruby.
$at = Place::Position(23)
notice($at.x, $at.y, $at, Place::Position(1, 2) == Place::Position({ 'x' => 1, 'y' => 2 }))
notice(Bearing(90).degrees, Bearing(90) =~ Bearing, $at =~ Bearing)
