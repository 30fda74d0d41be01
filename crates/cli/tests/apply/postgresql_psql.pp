# differs: log: the value of a command is quoted otherwise
# needs: psql postgresql
# public: postgresql
# setup: mkdir -p /run/pg; chown postgres: /run/pg; cd /tmp
# setup: b=$(ls -d /usr/lib/postgresql/*/bin | tail -1)
# setup: setpriv --reuid=postgres --regid=postgres --clear-groups $b/initdb -D /run/pg/data -A trust >/dev/null 2>&1
# setup: o="-k /run/pg -c listen_addresses= -c fsync=off"
# setup: setpriv --reuid=postgres --regid=postgres --clear-groups $b/pg_ctl -D /run/pg/data -w -o "$o" -l /run/pg/log start >/dev/null 2>&1
# teardown: setpriv --reuid=postgres --regid=postgres --clear-groups $(ls -d /usr/lib/postgresql/*/bin | tail -1)/pg_ctl -D /run/pg/data -m immediate stop
# query: psql -h /run/pg -U postgres -Atc "select * from l order by 1, 2" d
# query: psql -h /run/pg -U postgres -Atc "select rolname from pg_roles where rolname !~ '^pg_' order by 1"
Postgresql_psql { connect_settings => { 'PGHOST' => '/run/pg' } }
postgresql_psql { 'CREATE DATABASE d': unless => "SELECT 1 FROM pg_database WHERE datname = 'd'" }
-> postgresql_psql { 'table': command => 'CREATE TABLE IF NOT EXISTS l (t text, n int)', db => 'd' }
-> postgresql_psql { 'quotes':
  command => "INSERT INTO l VALUES ('it''s \$HOME `id` ; \"x\"', 1)",
  unless  => "SELECT 1 FROM l WHERE n = 1",
  db      => 'd',
}
-> postgresql_psql { 'never': command => "INSERT INTO l VALUES ('never', 2)", onlyif => 'SELECT 1 FROM l WHERE n = 9', db => 'd' }
-> postgresql_psql { 'variables':
  command     => "INSERT INTO l VALUES ('v', 4)",
  unless      => 'SELECT 1 FROM l WHERE n = 4',
  environment => ['PGDATABASE=d', 'PGOPTIONS=-c client_min_messages=error'],
}
~> postgresql_psql { 'refreshed': command => "INSERT INTO l VALUES ('r', 5)", refreshonly => true, db => 'd' }
postgresql_psql { 'not refreshed': command => "INSERT INTO l VALUES ('r', 6)", refreshonly => true, db => 'd' }
postgresql_psql { 'secret':
  command   => Sensitive("CREATE ROLE r PASSWORD 'hidden'"),
  unless    => "SELECT 1 FROM pg_roles WHERE rolname = 'r'",
  sensitive => true,
}
