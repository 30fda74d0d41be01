garden::plant(5)
