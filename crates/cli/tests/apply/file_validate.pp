# setup: printf 'good\n' >/w/kept
file {
  '/w/good': content => "good\n", validate_cmd => '/bin/grep -q good %';
  '/w/bad': content => "bad\n", validate_cmd => '/bin/grep -q good %';
  '/w/kept': content => "bad\n", validate_cmd => '/bin/grep -q good %';
  '/w/other': content => "good\n", validate_cmd => '/bin/grep -q good $$', validate_replacement => '$$';
}
