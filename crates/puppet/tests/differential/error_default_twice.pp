File { mode => '1' }
File { mode => '2' }
