notify { "${Integer < Numeric} ${Integer[1, 2] <= Integer} ${String == String[0]} ${Optional[Integer] > Integer}": }
