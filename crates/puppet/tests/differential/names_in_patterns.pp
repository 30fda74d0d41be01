# Names of groups are any text, and a tag may end in a new line.
$two = 'ab' =~ /(?< a.b>a)(?'$ !'b)\g< a.b>?/
notify { "all\n":
  message => [$two, $1, 'xx' =~ /(?<"q">x)\k<"q">/],
  tag     => ["one\n", 'two'],
}
class tagged {
  tag("three\n")
  notify { 'inside': }
}
include tagged
