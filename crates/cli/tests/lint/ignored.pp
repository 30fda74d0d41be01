class ignored { # lint:ignore:documentation lint:ignore:autoloader_layout why not
  $a = "x" # lint:ignore:double_quoted_strings
  # lint:ignore:double_quoted_strings the reason
  $b = "y"
  $c = "z"
  # lint:endignore
  # lint:endignore
  # lint:ignore:140chars
  $d = "w"
}
