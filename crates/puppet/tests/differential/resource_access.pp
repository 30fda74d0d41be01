file { '/a': mode => '0644' }
notify { "mode ${File['/a']['mode']}": }
