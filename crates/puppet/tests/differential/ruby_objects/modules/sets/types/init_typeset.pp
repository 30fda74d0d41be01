type Sets = TypeSet[{
  pcore_version => '1.0.0',
  version       => '1.0.0',
  types         => {
    A => { attributes => { a => Integer } },
    B => A {
      parent     => A,
      attributes => { b => Integer },
    },
  },
}]
