# Installs {name}.
#
# @param package The name of the package.
class {name} (
  String[1] $package,
) {
  package { $package:
    ensure => installed,
  }
}
