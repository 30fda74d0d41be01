notify { 'a': message => String([Timestamp[undef], Timespan[undef, 1]]) }
