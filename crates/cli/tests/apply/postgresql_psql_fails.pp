# differs: resources: on Ruby 3, the module takes every failure of psql for a success
# differs: exit: the same
# differs: log: the same
# differs: queries: so what depends on a failed command runs; and with psql 15 and later, a condition
# never holds with `search_path`
# needs: psql postgresql
# public: postgresql
# setup: mkdir -p /run/pg; chown postgres: /run/pg; cd /tmp
# setup: b=$(ls -d /usr/lib/postgresql/*/bin | tail -1)
# setup: setpriv --reuid=postgres --regid=postgres --clear-groups $b/initdb -D /run/pg/data -A trust >/dev/null 2>&1
# setup: o="-k /run/pg -c listen_addresses= -c fsync=off"
# setup: setpriv --reuid=postgres --regid=postgres --clear-groups $b/pg_ctl -D /run/pg/data -w -o "$o" -l /run/pg/log start >/dev/null 2>&1
# teardown: setpriv --reuid=postgres --regid=postgres --clear-groups $(ls -d /usr/lib/postgresql/*/bin | tail -1)/pg_ctl -D /run/pg/data -m immediate stop
# query: psql -h /run/pg -U postgres -Atc "select * from l order by 1, 2" d
Postgresql_psql { connect_settings => { 'PGHOST' => '/run/pg' }, db => 'd' }
postgresql_psql { 'database': command => 'CREATE DATABASE d', unless => "SELECT 1 FROM pg_database WHERE datname = 'd'", db => 'postgres' }
-> postgresql_psql { 'table': command => 'CREATE TABLE IF NOT EXISTS l (t text, n int)' }
-> postgresql_psql { 'by path': command => "INSERT INTO l VALUES ('p', 3)", unless => 'SELECT 1 FROM l WHERE n = 3', search_path => ['public', 'pg_catalog'] }
-> postgresql_psql { 'fails': command => 'SELEC 1' }
-> postgresql_psql { 'after a failure': command => "INSERT INTO l VALUES ('f', 7)" }
postgresql_psql { 'wrong condition': command => 'SELECT 1', onlyif => 'SELECT nothing' }
