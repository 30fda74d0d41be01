class { '::Nothing::Here': }
