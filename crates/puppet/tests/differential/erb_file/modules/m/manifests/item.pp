define m::item($values, $opts) {
  notify { "item ${title}": message => template('m/values.erb') }
}
