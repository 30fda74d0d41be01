# Site: garden
sweep('a', 'b')
