$x = nothing_like_this(1)
