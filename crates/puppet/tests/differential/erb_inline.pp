$a = [3, 1, 2]
$h = { 'r' => File['/x'], 't' => Integer[1, 2], 'd' => default, 'x' => /a.b/ }
notify { 'sorted': message => inline_template('<%= @a.sort.map { |n| n * 2 }.join(",") %>') }
notify { 'several': message => inline_template('<%= @a.size %>', '-', '<% @a.each do |x| -%><%= x %><% end %>') }
notify { 'kinds': message => inline_template('<%= @h["r"] %> <%= @h["t"] %> <%= @h["d"].inspect %>') }
[1, 2].each |$i| { notify { "n${i}": message => inline_template('<%= @i %><%= @a[@i] %>') } }
