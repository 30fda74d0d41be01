class m {
  notify { 'a' }
}
