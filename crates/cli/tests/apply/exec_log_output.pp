exec {
  default: provider => shell;
  'echo always; echo more': logoutput => true;
  'echo never; exit 1': logoutput => false;
  'echo failure; exit 1': logoutput => on_failure;
  'echo success': logoutput => on_failure;
  'echo default': ;
  'echo info': logoutput => true, loglevel => 'warning';
}
