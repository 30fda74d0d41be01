$fits = Init[Enum['a']] >= Integer
