class m($list = ['b', 'a'], $secret = Sensitive('s3'), $none = undef) {
  $local = { 'x' => 1, 'y' => [2, 3] }
  file { '/m': content => template('m/class.erb') }
}
