# query: su postgres -c "psql -Atc 'SELECT datname, datdba, datacl FROM pg_database ORDER BY 1; SELECT rolname, rolcanlogin, rolpassword FROM pg_authid ORDER BY 1'"
# query: su postgres -c "psql -Atc 'SHOW max_connections; SHOW listen_addresses'"
class { 'postgresql::globals': version => '15', manage_package_repo => false }
class { 'postgresql::server':
  listen_addresses => '127.0.0.1',
}
postgresql::server::db { 'wiki':
  user     => 'wiki',
  password => postgresql_password('wiki', 'pw'),
}
postgresql::server::role { 'reader': }
postgresql::server::database_grant { 'reader':
  privilege => 'CONNECT',
  db        => 'wiki',
  role      => 'reader',
}
postgresql::server::config_entry { 'max_connections': value => '40' }
postgresql::server::pg_hba_rule { 'lan':
  type        => 'host',
  database    => 'wiki',
  user        => 'wiki',
  address     => '10.0.0.0/8',
  auth_method => 'md5',
}
