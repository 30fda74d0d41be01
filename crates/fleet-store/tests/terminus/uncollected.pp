@@notify { 'far': }
notify { 'near': require => Notify['far'] }
