type Garden::Water = Enum['still', 'running']
