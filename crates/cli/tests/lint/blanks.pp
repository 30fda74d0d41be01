// slashes
/* one */
  /* two
   * lines
   */
class tabs {	
	$x = 1  
   $y = 2 /* in */ + 3

  $z = 4
$w = 5
  }  