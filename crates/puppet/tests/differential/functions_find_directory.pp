# A directory is found like a file.
notice(find_file('m/home/none', 'm/home/own') =~ /home\/own$/, find_file('m/home/none'), find_file('m'), find_file('/etc') == '/etc')
notice(find_template('m/sub') =~ /sub$/, find_template('m/none'))
