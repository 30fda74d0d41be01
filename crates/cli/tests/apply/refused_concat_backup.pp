# modules: installed
concat_file { '/w/f': backup => 5 }
