type First = TypeSet[{ pcore_version => '1.0.0', version => '1.0.0', types => { A => Integer } }]
type Other = TypeSet[{ pcore_version => '1.0.0', references => { F => { name => 'First', version_range => '2.x' } } }]
notice(Other)
