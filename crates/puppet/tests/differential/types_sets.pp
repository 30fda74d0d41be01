type Shapes = TypeSet[{
  pcore_version => '1.0.0',
  version => '1.2.0',
  types => {
    Point => Object[{ attributes => { x => Integer, y => Integer } }],
    Line => { attributes => { from => Point, to => Point } },
    Lines => Array[Line],
    Kind => Enum[point, line],
  },
}]
type Drawing = TypeSet[{
  pcore_version => '1.0.0',
  types => {
    Thick => S::Line { attributes => { width => { type => Integer, value => 1 } } },
    Any => Variant[S::Point, S::Line],
  },
  references => { S => { name => 'Shapes', version_range => '1.x' } },
}]
$sets = [Shapes, Drawing].map |$set| { $set =~ Type[TypeSet] }
$p = Shapes::Point(1, 2)
$line = Shapes::Line($p, $p)
$thick = Drawing::Thick($p, Shapes::Point(3, 4))
notify {
  'sets': message => "${sets} ${Shapes == Drawing}";
  'instances': message => "${line} ${thick}";
  'types': message => "${[$line] =~ Shapes::Lines} ${'line' =~ Shapes::Kind} ${$thick =~ Drawing::Any}";
  'parents': message => "${Drawing::Thick < Shapes::Line}";
}
