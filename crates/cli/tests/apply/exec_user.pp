# setup: mkdir /w/open; chmod 777 /w/open
exec {
  default: path => '/bin:/usr/bin', provider => shell;
  'id -un > /w/open/user': user => 'daemon';
  'id -u > /w/open/number': user => '2';
  'id -gn > /w/open/group': group => 'mail';
  'id -un; id -gn; touch /w/open/mine': user => 'daemon', group => 'mail', logoutput => true;
}
