class c {
  notify { 'a': }
