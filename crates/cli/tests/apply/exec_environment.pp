exec {
  default: path => '/bin:/usr/bin', provider => shell;
  'echo $A-$B >> /w/log': environment => ['A=1', 'B=x=y'];
  'pwd >> /w/log': cwd => '/etc';
  'umask >> /w/log': umask => '027';
  'id -un >> /w/log': ;
  'echo $HOME-$USER-$LOGNAME >> /w/log': environment => 'HOME=/h';
  'echo $PATH >> /w/log': ;
  'echo ${LANG-unset} ${LC_ALL-unset} >> /w/log': ;
}
