function m::says() {
  notice('from a function')
  create_resources('notify', { 'made' => {} })
}
