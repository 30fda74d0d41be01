fail('stopped', 1)
