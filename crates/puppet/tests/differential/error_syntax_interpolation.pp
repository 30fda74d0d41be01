$x = "open ${
