function environment::data(Hash $options, Puppet::LookupContext $context) >> Hash[String, String] { { 'fn_key' => "from ${options['extra']}" } }
