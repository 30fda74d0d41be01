$x = upcase({ 'a' => [true] })
