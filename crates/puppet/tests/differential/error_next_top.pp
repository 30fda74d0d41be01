if true { next() }
