# Maps and lists of fragments.
# modules: installed
$formats = ['yaml', 'json', 'json-array', 'json-pretty', 'json-array-pretty']
$sets = [
  ['{"a": 1, "b": [1, 2]}', '{"b": [2, 3], "c": {"d": "é"}}', '{"c": {"e": null, "f": 1.50}}'],
  ['{}', '{"a": true}'],
  ['{"z": {"y": {"x": "1"}}}', '{"z": {"y": {"w": "</a>"}}}', '{"z": {"y": {"w": "</a>"}}}'],
  ['{"a": 1}', '{"a": 2}'],
  ['["a", "b"]', '["b", "c"]'],
  ['{"a": "line\nbreak", "b": "yes", "c": "", "d": "0x10", "e": "# no"}'],
  ['{"n": 123456789012345678901234567890, "e": [], "m": {}}'],
  ['no: {'],
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
