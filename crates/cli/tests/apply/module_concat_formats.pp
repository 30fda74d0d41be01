# Maps and lists of fragments.
# modules: installed
$formats = ['yaml', 'json', 'json-array', 'json-pretty', 'json-array-pretty']
$sets = [
  ['{"a": 1, "b": [1, 2]}', '{"b": [2, 3], "c": {"d": "é"}}', '{"c": {"e": null, "f": 1.50}}'],
  ['{}', '{"a": true}'],
  ['{"z": {"y": {"x": "1"}}}', '{"z": {"y": {"w": "</a>"}}}', '{"z": {"y": {"w": "</a>"}}}'],
  ['["a", "b"]', '["b", "c"]'],
  ['{"a": 1, "z": [3]}', '{"a": 1, "z": [3, 4]}'],
  ['{"a": "line\nbreak", "b": "yes", "c": "", "d": "0x10", "e": "# no"}'],
  ['{"n": 123456789012345678901234567890, "e": [], "m": {}}'],
]
$formats.each |$format| {
  $sets.each |$i, $fragments| {
    [true, false].each |$force| {
      $file = "/w/${format} ${i} ${force}"
      concat_file { $file: format => $format, force => $force }
      $fragments.each |$n, $text| {
        concat_fragment { "${file} ${n}": target => $file, content => $text, order => $n }
      }
    }
  }
}
concat_file { '/w/forced': format => json, force => true }
concat_fragment { 'forced 1': target => '/w/forced', content => '{"a": 1, "b": {"c": 1}}', order => 2 }
concat_fragment { 'forced 2': target => '/w/forced', content => '{"a": 2, "b": {"c": 2, "d": 3}}', order => 1 }
