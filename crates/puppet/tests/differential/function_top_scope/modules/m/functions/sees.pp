function m::sees() {
  defined('$own')
}
