notify { "tab\tend \u{41} \$x \"q\"": }
notify { 'single \n \' \\': }
