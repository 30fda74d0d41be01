notify { "${md5('a')} ${sha1('a')} ${sha256('a')} ${fqdn_rand(100, 'seed')} ${versioncmp('1.10', '1.9')}": }
