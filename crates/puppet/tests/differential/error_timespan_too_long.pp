$x = Timespan(1) + 1e300
