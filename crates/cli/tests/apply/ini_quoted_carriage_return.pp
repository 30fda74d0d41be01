# A quoted value whose line ends with a carriage return.
# modules: installed
# differs: exit: the carriage return ends the line, so that a second run finds all in place
# setup: printf "k = '-c -a'\\r\\n" >/w/file
# differs: resources: the carriage return ends the line, so that a second run finds all in place
# differs: files: the carriage return ends the line, so that a second run finds all in place
# differs: log: the carriage return ends the line, so that a second run finds all in place
ini_subsetting { 'c': path => '/w/file', setting => 'k', subsetting => '-c', value => '9', insert_type => index, insert_value => 1 }
