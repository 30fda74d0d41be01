function plain_greet($who) { "plain ${who}" }
