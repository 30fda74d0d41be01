# Two aliases that say nothing but each other.
type Mine = Variant[Mine, Yours]
type Yours = Variant[Yours, Mine]
if 1 =~ Mine {
  notify { 'never': }
}
