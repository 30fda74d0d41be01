# Those who operate machines: known everywhere, made where they are collected.
class profile::operators (
  Hash[String[1], Array[String[1]]] $names = {},
) {
  $names.each |$name, $groups| {
    @profile::operator { $name:
      groups => $groups,
    }
  }
}
