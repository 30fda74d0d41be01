notify {
  default: message => 'shared', withpath => true;
  'a': ;
  'b': message => 'own';
  'c': message => undef;
  [['d', ['e']]]: * => { message => 'spread' }
}
notify { 'f': }
