nothing { default: a => 1 }
