notice(upcase([true]))
