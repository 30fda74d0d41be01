node default {
  include ntp
  case $facts['role'] {
    'web', 'edge': { include web }
    'db': { include db }
    default: {}
  }
}
