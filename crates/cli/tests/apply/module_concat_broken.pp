# Fragments that cannot be read, or contradict each other: Puppet makes an empty file.
# modules: installed
# differs: resources: the failure is that of the file of fragments, and nothing is made
# differs: log: nothing is made
# differs: files: nothing is made
# differs: exit: a failure is one
concat_file { '/w/missing': }
concat_fragment { 'missing': target => '/w/missing', source => ['/w/none', '/w/nothing'] }
concat_file { '/w/contradiction': format => json }
concat_fragment { 'contradiction 1': target => '/w/contradiction', content => '{"a": 1}' }
concat_fragment { 'contradiction 2': target => '/w/contradiction', content => '{"a": 2}' }
concat_file { '/w/broken': format => yaml }
concat_fragment { 'broken': target => '/w/broken', content => 'no: {' }
