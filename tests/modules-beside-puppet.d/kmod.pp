# long: the module has no types, only files, commands and augeas, which other manifests apply
# setup: rm -f /usr/sbin/modprobe; cat >/usr/sbin/modprobe <<'END'
# setup: #!/bin/sh
# setup: [ "$1" = -r ] || exec echo "$1 16384 0 - Live 0x0" >>/run/modules
# setup: grep -v "^$2 " /run/modules >/run/rest; cat /run/rest >/run/modules
# setup: END
# setup: rm -f /usr/bin/egrep; printf '#!/bin/sh\nexec grep -E "$1" "$2" /run/modules\n' >/usr/bin/egrep
# setup: chmod +x /usr/sbin/modprobe /usr/bin/egrep; echo 'pcspkr 16384 0 - Live 0x0' >/run/modules
# setup: mkdir -p /etc/facter/facts.d; echo augeasversion=1.14.0 >/etc/facter/facts.d/augeas.txt
# setup: printf 'loop\npcspkr\n' >/etc/modules; mkdir -p /etc/modprobe.d; echo 'options bonding mode=0' >/etc/modprobe.d/bonding.conf
# query: cat /run/modules
# The programs are played: a container has no kernel of its own.
kmod::load { 'dummy': }
kmod::load { 'pcspkr': ensure => absent }
kmod::blacklist { 'pcspkr': }
kmod::option { 'bonding mode': module => 'bonding', option => 'mode', value => '1' }
kmod::alias { 'eth0': source => 'e1000' }
kmod::install { 'dccp': command => '/bin/false' }
