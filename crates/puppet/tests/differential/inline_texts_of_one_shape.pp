# Texts that are parsed where they are met: each has types and expressions of its own.
$templates = ['<%= "a" =~ /a/ %>', '<%= "b" =~ /b/ %>', '<%= "c" =~ /a/ %>']
$templates.each |$index, $text| {
  notify { "${index} ${inline_epp($text)}": }
}
notify { inline_epp('<%= [1].map |Integer $x| { $x } %> one'): }
notify { inline_epp('<%= ["a"].map |String  $x| { $x } %> two'): }
notify { inline_epp('<%- | Integer $x | -%><%= $x %> three', { 'x' => 1 }): }
notify { inline_epp('<%- | String  $x | -%><%= $x %> four', { 'x' => 's' }): }
['Pattern[/a/]', 'Pattern[/b/]', 'Pattern[/c/]'].each |$index, $text| {
  notify { "type ${index} ${'b' =~ Type($text)}": }
}
