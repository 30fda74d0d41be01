class shed::sweep {
  $opts = $shed::bin::opts
  $r = [shed::prune($opts), shed::push($shed::bin::list, 1)]
  notice($opts, $shed::bin::opts, $shed::bin::all, $shed::bin::list)
}
