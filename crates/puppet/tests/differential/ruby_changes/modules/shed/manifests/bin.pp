class shed::bin($opts, $list = [0]) {
  $all = [$opts]
}
