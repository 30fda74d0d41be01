# differs: log: a warning names what is not managed
group { 'team': ensure => present, gid => 4200, attributes => ['a=b'], ia_load_module => 'files', attribute_membership => minimum }
