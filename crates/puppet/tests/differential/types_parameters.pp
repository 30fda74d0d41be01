class c(Integer[1, 10] $i, Array[String, 1] $a, Hash[String, Integer] $h, Enum['x', 'y'] $e, Pattern[/^p/] $p) {
  notify { "${i} ${a} ${h} ${e} ${p}": }
}
class { 'c': i => 5, a => ['q'], h => { 'k' => 1 }, e => 'y', p => 'pat' }
