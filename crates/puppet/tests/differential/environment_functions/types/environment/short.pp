type Environment::Short = String[1, 3]
