garden::plant({count => 100})
