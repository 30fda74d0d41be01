# Site: garden
garden::plant({count => 100})
