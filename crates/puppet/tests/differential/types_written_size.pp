notice(String[0], Array[Any, 0], Hash[String, Integer, 0, default], Collection[default], String, Array)
notify { 'a': message => [String[0], Array[Any, 0], Optional[String[0]]] }
notice('a' =~ String[0], Array <= Array[Any, 0], Array[Any, 0] <= Array)
