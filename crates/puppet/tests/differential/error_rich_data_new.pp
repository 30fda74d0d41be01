notice(RichDataKey.new([]))
