class secretive($given, $unset = Sensitive(undef)) { }
class { 'secretive': given => Sensitive(undef) }
notify { 'a': message => Sensitive(undef), withpath => Sensitive(true) }
