notify { template('m/none.erb'): }
