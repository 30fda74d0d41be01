# Data of modules and of the environment as it was before version 5: `data_provider` and
# `environment_data_provider`, with files, functions in both languages, and none.
include h, f, g, n, e
notify { lookup('envkey'): }
