notice(Integer != Init[Any])
