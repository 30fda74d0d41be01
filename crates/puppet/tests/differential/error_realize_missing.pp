realize(Notify['a'])
