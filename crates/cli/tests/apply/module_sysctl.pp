# Settings of the kernel in files. Puppet writes all settings of a file in one form.
# modules: installed
# differs: files: the other lines stay as they are
# setup: printf '# c\nnet.core.somaxconn=1\nkernel.x=2\n\n  # kernel.y=1\nkernel.gone=1\n' >/etc/sysctl.conf
sysctl { 'net.core.somaxconn': val => '128' }
sysctl { 'kernel.x': val => '2' }
sysctl { 'kernel.y': val => "1\t2" }
sysctl { 'kernel.gone': ensure => absent }
sysctl { 'kernel.none': ensure => absent }
