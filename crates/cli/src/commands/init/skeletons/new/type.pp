# Describe the values here.
type {Full} = String[1]
