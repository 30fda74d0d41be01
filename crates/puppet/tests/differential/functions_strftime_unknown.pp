notify { 'a': message => Timestamp(0).strftime('%F %+ %Q') }
