# Names of other machines.
class profile::network (
  Hash[String[1], Hash] $hosts,
) {
  $hosts.each |$name, $attributes| {
    host { $name:
      * => $attributes,
    }
  }
}
