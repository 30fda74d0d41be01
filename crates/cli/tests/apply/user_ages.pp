# setup: useradd -u 4001 ada
user { 'ada': password_max_age => 90, password_min_age => 1, password_warn_days => 14 }
