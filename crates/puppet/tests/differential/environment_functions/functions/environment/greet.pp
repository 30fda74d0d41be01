function environment::greet($who) { "hello ${who} in ${environment}" }
