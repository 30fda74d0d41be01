$x = @(END)
  never ended
