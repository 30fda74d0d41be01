# before
$a = 1 # behind
/* over
   lines */ $b = 2
#
