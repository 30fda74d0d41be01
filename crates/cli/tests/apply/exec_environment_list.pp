exec { '/bin/sh -c "echo $A $B > /w/out"': environment => ['A=1', 'B=two words'] }
