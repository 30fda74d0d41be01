# A catalog leaves out attributes at the end of an object that have their defaults.
type Boat = Object[{ attributes => {
  deck => { type => Integer, value => 1 },
  name => Optional[String],
  crew => Integer,
} }]
type Ship = Object[{ parent => Boat, attributes => { mast => { type => Integer, value => 5 } } }]
notify { 'boats': message => [Boat(3), Boat(3, 1), Boat(3, 1, undef), Boat(3, 2, undef), Boat(3, 1, 'x')] }
notify { 'ships': message => [Ship(1), Ship({ crew => 1, mast => 6 }), Ship({ crew => 1, mast => 5, deck => 4 })] }
notify { 'calls': message => [Deferred('upcase'), Deferred('upcase', []), { 'k' => Deferred('upcase', ['a']) }] }
