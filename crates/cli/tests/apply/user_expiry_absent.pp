# setup: useradd -u 4001 -e 2030-01-01 old; useradd -u 4002 never
user { ['old', 'never']: expiry => absent }
