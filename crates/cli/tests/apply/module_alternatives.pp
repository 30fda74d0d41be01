# Alternatives that are chosen, added and taken away.
# modules: installed
# setup: for n in one two three; do echo $n >/w/$n; chmod +x /w/$n; update-alternatives --quiet --install /w/link word /w/$n 10; done; update-alternatives --quiet --install /w/other other /w/one 5
# setup: update-alternatives --quiet --remove word /w/three; update-alternatives --quiet --set word /w/one
# between: update-alternatives --quiet --auto word
alternative_entry { '/w/three': altlink => '/w/link', altname => 'word', priority => 5 }
alternative_entry { '/w/two': altlink => '/w/other', altname => 'other', priority => 7 }
alternative_entry { '/w/one:/w/other': ensure => absent, altname => 'other', altlink => '/w/other' }
alternatives { 'word': path => '/w/three', require => Alternative_entry['/w/three'] }
alternatives { 'other': mode => 'auto' }
alternatives { 'nothing': path => '/w/one' }
