# setup: touch /root/a; chmod 751 /root/a; chown daemon:mail /root/a; touch /w/creating; chmod 600 /w/creating
file {
  default: source => '/root/a';
  '/w/ignore': source_permissions => ignore;
  '/w/use': source_permissions => use;
  '/w/create': source_permissions => use_when_creating;
  '/w/creating': source_permissions => use_when_creating;
}
