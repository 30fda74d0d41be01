# Site: garden
lagoon { 'small in wood': }
lagoon { 'x': name => 'small', place => 'WOOD' }
