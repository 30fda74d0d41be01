# setup: useradd -u 4001 -G mail,games ada
user { 'ada': groups => [], membership => inclusive }
