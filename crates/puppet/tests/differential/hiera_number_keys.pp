# Numbers may be keys of a hash in data.
lookup('key').each |$number, $text| {
  notify { "${number}": message => $text }
}
