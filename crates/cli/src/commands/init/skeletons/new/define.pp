# Describe the purpose of the define here.
#
# @param ensure Whether the resource exists.
define {full} (
  Enum['present', 'absent'] $ensure = 'present',
) {
  notify { "{full} ${title} is ${ensure}": }
}
