# What stands at several places is one list or hash on both sides.
$s = m::share(3)
$f = m::far_share(3)
notice(m::yaml($s), m::yaml($f), m::far_yaml($s), m::far_yaml($f), m::same($s[0], $s[1]), m::far_same($f[0], $f[1]))
$list = [1, { 'n' => 2 }]
$h = m::hash($list)
$g = m::far_hash($list)
notice(m::yaml($h['x'], $h['y'], $list), m::far_yaml($g, $list, $h), m::far_same($h['l'], $list), m::same($g['m'][0], $list))
# Keys, too.
$keys = { $list => $list, 'k' => { $list => 1 } }
notice(m::far_yaml($keys))
notice(inline_template('<% ObjectSpace.count_objects %><%= @keys.to_yaml %><%= [@list, @h].to_yaml %>'))
# What is changed is changed everywhere.
$r1 = m::far_push($h['l'], 'one')
$r2 = m::push($g['x']['a'], 'two')
notice($list, $h['x'], $h['y'], $h['l'], $h['m'], $g['x'], $g['y'], $g['m'])
$r3 = m::far_push($f[0][0], 'three')
notice($f, m::yaml($f))
notice(m::calls() |$all, $one| { notice(m::far_same($all[0], $one), m::same($all[1]['k'], $one), m::yaml($all)) $one })
$hash = {}
$into = []
$r4 = m::grow($hash, $into)
notice($hash, $into, m::yaml($hash, $into))
# Facts.
notice(m::far_yaml($facts, $facts['os'], [$facts['os']['release']]), m::far_same($facts['os'], m::far_push([], $facts['os'])[0]))
$same_os = m::far_push([], $facts['os'])[0]
notice(m::far_same($same_os, $facts['os']), m::same($same_os['release'], $facts['os']['release']))
# It takes no more room than it has.
$big = m::far_share(16)
notice(m::far_same($big[0], $big[1]), m::same($big[0][1], $big[1][0]), m::far_push([], $big)[0][0][0] =~ Array)
notice(inline_template('<% ObjectSpace.count_objects; made = [1]; scope["made"] = [made, { "k" => made }] %><%= scope["made"].to_yaml %>'))
# Libraries that Puppet has loaded.
notice(inline_template('<% ObjectSpace.count_objects %><%= URI("http://a/b").host %> <%= Pathname("/a/b").basename %> <%= 5.to_bn %> <%= File.directory?(Dir.tmpdir) %> <%= OptionParser.name %> <%= Net::HTTP.name %> <%= Find.name %> <%= UDPSocket.name %>'))
