# modules: installed
augeas { 'x': changes => 'set /files/x y', type_check => 'maybe' }
