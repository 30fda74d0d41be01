# Titles that are no texts: such a resource is named, and its title is no tag.
define port(Integer $weight = 1) {
  notify { "port ${name}": message => "${title} has ${weight}" }
}
create_resources('port', { 80 => {}, 'smtp' => {}, 8080 => { 'weight' => 2 } })
create_resources('notify', { 1.5 => {}, true => { 'message' => 'x' }, 7 => { 'name' => 'seven' } })
create_resources('exec', { 81 => { 'path' => '/bin' }, 82 => { 'command' => '/bin/true' } })
notify { 'after': require => [Notify['1.5'], Port['80']] }
