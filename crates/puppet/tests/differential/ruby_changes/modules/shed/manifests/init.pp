class shed($opts = { 'a' => 1 }, $list = [1], $own = { 'old' => { 'old' => 1 } }) {
  $mine = $opts
  $r = [shed::prune($opts), shed::push($list, 2), shed::prune($own)]
  notice($opts, $mine, $list, $own)
}
