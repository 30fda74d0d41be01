function m::shows() {
  inline_template('<%= @own.inspect %>')
}
