class garden_of(Garden::WATER $water = 'still') {
  pond { 'first': ensure => present, place => '/north', depth => 3, tag => $water }
}
include garden_of
Pond { depth => 1 }
pond { ['second', 'third']: require => Pond['first'] }
Pond['/north'] ~> notify { "${defined(Pond)} ${defined('pond')} ${Garden::Water == Garden::WaTer}": }
Pond <| title == 'third' |> { depth => 9 }
