function environment::data(Hash $options, Puppet::LookupContext $context) >> Hash { { 'fn_key' => "from ${options['extra']}" } }
