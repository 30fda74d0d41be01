type Tiny = String[1, 1]
