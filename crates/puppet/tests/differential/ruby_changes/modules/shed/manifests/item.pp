define shed::item($opts, $own = ['o']) {
  $r = [shed::prune($opts), shed::push($own, $title)]
  notice($title, $opts, $own)
  notify { $title: message => $opts }
}
