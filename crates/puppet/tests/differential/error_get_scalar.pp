# The lambda is not given what is wrong with the first value.
notice(get(1, 'a') |$e| { 7 })
