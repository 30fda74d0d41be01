# Every machine has one role; which one is said here and nowhere else.
node 'web.example.org' {
  include role::web
}

node 'db.example.org' {
  include role::database
}

node /^ops\d*\.example\.org$/ {
  include role::ops
}

node default {
  fail("no role for ${trusted['certname']}")
}
