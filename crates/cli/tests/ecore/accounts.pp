# Types that use everything that an Ecore model of types can hold.
type Role {
  attr gid, String {
    min => 1,
    id => true,
    check => { if $gid =~ /\A\d+\z/ { "'${gid}' is a number & < no name" } },
  }
}

type Account {
  attr name, String { min => 1 }
  attr age, Integer { default => 7 }
  attr weight, Float { default => 1.5 }
  attr shell, enum[bash, 'with space', none] { default => bash }
  attr groups, String { max => unbound, unsettable => true }
  attr path, Pattern[/\A\/[a-z]*\z/]
  attr pairs, String { min => 2, max => 3, default => [a, 'b c'] }
  attr active, Boolean { setable => false, default => true }
  attr anything, Any
  has roles, Role { max => unbound }
  has leader, Account { containment => false }
  attr label, String { derived => || { "${name}/${shell}" } }
  invariant "an account without a shell has no groups" { $shell != none or $groups == [] }
}

type Deep::Named { abstract attr title_text, String }
type Deep::Down::Item inherits Deep::Named { attr size, Integer { transient => true } }
