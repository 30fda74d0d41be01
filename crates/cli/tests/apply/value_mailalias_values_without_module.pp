# setup: printf 'root: admin\nold: x, y\n' >/etc/aliases
mailalias { 'team': recipient => ['ada', 'bob'] }
mailalias { 'old': recipient => 'z' }
mailalias { 'gone': ensure => absent }
