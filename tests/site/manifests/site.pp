node 'web.example.org' {
  include role::web
}

node default {
  fail("no role for ${trusted['certname']}")
}
