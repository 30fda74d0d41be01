# modules: installed
concat_file { '/w/f': mode => 'x' }
