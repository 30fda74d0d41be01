# differs: log: the errors of SQL are worded otherwise
# needs: mariadbd mariadb-server
# public: mysql
# setup: mkdir -p /run/mysqld/data /run/mysqld/tmp; chown -R mysql: /run/mysqld
# setup: mariadb-install-db --user=mysql --datadir=/run/mysqld/data --skip-test-db >/dev/null 2>&1
# setup: (setsid mariadbd --user=mysql --datadir=/run/mysqld/data --tmpdir=/run/mysqld/tmp --socket=/run/mysqld/mysqld.sock --pid-file=/run/mysqld/pid --skip-networking --skip-log-bin --innodb-flush-log-at-trx-commit=0 </dev/null >/dev/null 2>&1 &)
# setup: for i in $(seq 300); do mariadb-admin ping >/dev/null 2>&1 && break; sleep 0.2; done
# setup: echo "CREATE DATABASE old; CREATE DATABASE other CHARACTER SET latin1; CREATE USER gone@localhost; CREATE USER lax@localhost; GRANT ALL ON *.* TO lax@localhost WITH GRANT OPTION; CREATE USER few@localhost; GRANT SELECT, INSERT ON other.* TO few@localhost; GRANT UPDATE ON old.* TO few@localhost" | mariadb
# between: echo "DROP USER app@localhost; REVOKE INSERT ON app.* FROM ro@localhost; ALTER USER limited@localhost WITH MAX_USER_CONNECTIONS 7" | mariadb
# teardown: mariadb-admin shutdown
# query: echo 'SELECT SCHEMA_NAME, DEFAULT_CHARACTER_SET_NAME, DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA ORDER BY 1' | mariadb -N
# query: echo 'SELECT User, Host, plugin, authentication_string, max_user_connections, max_questions, ssl_type FROM mysql.user ORDER BY 1, 2' | mariadb -N
# query: for u in app ro lax few limited; do echo "SHOW GRANTS FOR $u@localhost" | mariadb -N | sort; done
# query: echo 'SHOW PLUGINS' | mariadb -N | grep -i -e blackhole -e ed25519
mysql_database { 'app': ensure => present, charset => 'utf8mb4', collate => 'utf8mb4_unicode_ci' }
mysql_database { 'other': ensure => present, charset => 'utf8mb4', collate => 'utf8mb4_bin' }
mysql_database { 'old': ensure => absent }
mysql_database { 'never': ensure => absent }
mysql_user { 'app@localhost': ensure => present, password_hash => '*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19' }
mysql_user { 'ro@LocalHost': ensure => present, password_hash => Sensitive('*94BDCEBE19083CE2A1F959FD02F964C7AF4CFC29') }
mysql_user { 'lax@localhost': ensure => present, tls_options => ['SSL'], max_queries_per_hour => 20 }
mysql_user { 'few@localhost': ensure => present, password_hash => '*94BDCEBE19083CE2A1F959FD02F964C7AF4CFC29' }
mysql_user { 'limited@localhost': ensure => present, max_user_connections => '5', plugin => 'mysql_native_password' }
mysql_user { 'gone@localhost': ensure => absent }
mysql_grant { 'app@localhost/app.*': ensure => present, user => 'app@localhost', table => 'app.*', privileges => ['ALL'] }
mysql_grant { 'ro@localhost/app.*':
  ensure     => present,
  user       => 'ro@localhost',
  table      => 'app.*',
  privileges => ['select', 'INSERT', 'CREATE TEMPORARY TABLES'],
  options    => ['GRANT'],
  require    => Mysql_user['ro@LocalHost'],
}
mysql_grant { 'lax@localhost/*.*': ensure => present, user => 'lax@localhost', table => '*.*', privileges => ['PROCESS', 'RELOAD'] }
mysql_grant { 'few@localhost/other.*': ensure => present, user => 'few@localhost', table => 'other.*', privileges => ['SELECT', 'UPDATE'] }
mysql_grant { 'few@localhost/old.*': ensure => absent, user => 'few@localhost', table => 'old.*' }
mysql_plugin { 'ed25519': ensure => present, soname => 'auth_ed25519.so' }
