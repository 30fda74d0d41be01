$made = [Pcore::ArrayType(String), Pcore::EnumType(['b', 'a']), Pcore::ResourceType('File', '/x')]
$kinds = [Integer =~ Pcore::IntegerType, Integer[1] =~ Pcore::NumericType, 1 =~ Pcore::IntegerType, String =~ Pcore::AnyType]
notify {
  'made': message => "${made}";
  'kinds': message => "${kinds} ${Pcore::IntegerType < Pcore::NumericType}";
  'text': message => String(Pcore::TupleType);
  'element': message => String(Pcore::StructElement);
  'names': message => "${'Abc' =~ Pcore::SimpleTypeName} ${'a' =~ Pcore::MemberName} ${'a' =~ Pcore::TypeName}";
}
