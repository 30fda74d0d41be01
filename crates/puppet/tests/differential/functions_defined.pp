class c { }
notify { "${defined('c')} ${defined(Class['c'])} ${defined('nothing')} ${defined('file')} ${defined('$facts')} ${defined(Notify['x'])}": }
include c
notify { "now ${defined(Class['c'])}": }
