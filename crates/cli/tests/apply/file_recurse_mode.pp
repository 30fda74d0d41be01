# setup: mkdir -p /w/d/e; touch /w/d/f /w/d/e/g
file { '/w/d': recurse => true, mode => '0640', owner => 1 }
