# modules: installed
concat_file { '/w/f': format => 'xml' }
