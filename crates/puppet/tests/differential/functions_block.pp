function twice(Callable[Integer] &$block) { [$block.call(1), $block.call(2)] }
notify { "x${[1].map |$x| { $x }}": }
