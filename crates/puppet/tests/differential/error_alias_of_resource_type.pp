type Notify = String
notice(1)
