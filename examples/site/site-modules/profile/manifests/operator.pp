# One who operates machines.
define profile::operator (
  Array[String[1]] $groups,
  String[1]        $shell = '/bin/bash',
) {
  user { $name:
    comment    => "Operator of ${groups.join(' and ')}",
    shell      => $shell,
    managehome => true,
  }
}
