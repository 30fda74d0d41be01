type T = Data
notice(T.new(/x/))
