# setup: ln -s /wrong /w/changed; touch /w/was_file; ln -s /right /w/same
file {
  '/w/new': ensure => link, target => '/etc/passwd';
  '/w/short': ensure => '/etc/group';
  '/w/by_target': target => '/etc/hostname';
  '/w/relative': ensure => link, target => 'new';
  '/w/changed': ensure => link, target => '/right';
  '/w/was_file': ensure => link, target => '/right';
  '/w/same': ensure => link, target => '/right';
}
