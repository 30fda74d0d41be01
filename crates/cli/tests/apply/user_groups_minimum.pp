# setup: useradd -u 4001 -G mail ada
user { 'ada': groups => ['games', 'audio'] }
