with() |Array[String, 2] *$all = single| { }
