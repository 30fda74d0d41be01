class c {
  function f() { }
}
