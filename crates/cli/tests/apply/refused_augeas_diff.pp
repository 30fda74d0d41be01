# modules: installed
augeas { 'x': changes => 'set /files/x y', show_diff => 'maybe' }
