class other { }
class again {
  require other
  require again
}
include again
