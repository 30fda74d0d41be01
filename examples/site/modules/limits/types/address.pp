# An IPv4 address.
type Limits::Address = Pattern[/\A\d{1,3}(\.\d{1,3}){3}\z/]
