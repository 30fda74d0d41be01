# Site: garden
type Mood = Enum['sunny', 'rainy']
type Moods = Array[Mood]
notify { 'inside':
  message => [
    garden::inside(Mood), garden::inside(Moods), garden::inside(Integer[1, 3]), garden::inside(Integer),
    garden::inside(Variant[Integer[0, 1], Enum['b', 'a'], Float]), garden::inside(Hash[String, Mood]),
    garden::inside(Optional[Mood]),
  ],
}
$kind = Mood
notify { 'each': message => inline_template('<% @kind.each do |one| %>[<%= one %>]<% end %> <%= @kind.values.size %>') }
