# modules: installed
augeas { 'x': incl => '/w/hosts', changes => 'set 1/canonical b' }
