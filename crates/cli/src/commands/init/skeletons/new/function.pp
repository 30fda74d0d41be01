# Describe the result here.
#
# @param value The argument.
# @return The value as a text.
function {full}(Any $value) >> String {
  String($value)
}
