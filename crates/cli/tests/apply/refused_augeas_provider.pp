# modules: installed
augeas { 'x': changes => 'set /files/x y', provider => 'hand' }
