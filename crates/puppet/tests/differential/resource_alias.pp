notify { 'long title': alias => 'short' }
notify { 'x': require => Notify['short'] }
