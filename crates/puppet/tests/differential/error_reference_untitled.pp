file { '/a': notify => Notify }
