notice(65é)
