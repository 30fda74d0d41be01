notify { "${find_file('nowhere/x')}.": }
