/* never ended
