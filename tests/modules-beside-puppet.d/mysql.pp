# long: the role applies the module, too
# query: mysql -N -e 'SHOW DATABASES; SELECT user, host, max_connections FROM mysql.user ORDER BY 1, 2' 
# query: mysql -N -e "SHOW GRANTS FOR 'shop'@'localhost'; SHOW GRANTS FOR 'reader'@'%'"
class { 'mysql::server':
  package_name     => 'mariadb-server',
  service_name     => 'mariadb',
  root_password    => 's3cret',
  override_options => { 'mysqld' => { 'max_connections' => '64', 'log-error' => '/var/log/mysql/error.log' } },
  restart          => true,
}
mysql::db { 'shop':
  user     => 'shop',
  password => 'pw',
  host     => 'localhost',
  grant    => ['SELECT', 'UPDATE'],
  charset  => 'utf8mb4',
  collate  => 'utf8mb4_general_ci',
}
mysql_user { 'reader@%':
  ensure               => present,
  max_connections_per_hour => 30,
  require              => Class['mysql::server'],
}
mysql_grant { 'reader@%/shop.*':
  user       => 'reader@%',
  table      => 'shop.*',
  privileges => ['SELECT'],
  require    => [Mysql_user['reader@%'], Mysql::Db['shop']],
}
