type One = Variant[One, String, Integer]
assert_type(One, /x/)
