lagoon { 'Bare': }
