# Site: garden
garden::plant(5)
