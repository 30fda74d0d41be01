create_resources('file', { '/a': => { 'mode' => '0600' }, '/b' => { } }, { 'owner' => 'root' })
create_resources('@notify', { 'v' => { } })
