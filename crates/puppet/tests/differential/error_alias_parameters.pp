type Positive = Integer[0]
notice(Positive[1])
