# Site: garden
lagoon { 'Bare': }
