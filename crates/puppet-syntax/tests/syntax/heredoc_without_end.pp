$x = @(E)
no end
