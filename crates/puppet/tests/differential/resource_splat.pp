$attributes = { 'mode' => '0644', 'owner' => 'root' }
file { '/a': * => $attributes, group => 'root' }
