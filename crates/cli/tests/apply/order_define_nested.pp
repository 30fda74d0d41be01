define leaf() { exec { "/bin/echo ${name} >> /w/log": } }
define branch() {
  leaf { "${name}2": require => Leaf["${name}1"] }
  leaf { "${name}1": }
}
branch { 'x': require => Branch['y'] }
branch { 'y': }
