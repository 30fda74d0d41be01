type Shapes = TypeSet[{ pcore_version => '1.0.0', types => { lower => Integer } }]
notice(Shapes)
