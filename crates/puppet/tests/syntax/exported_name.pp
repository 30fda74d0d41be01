@@file::{ 'a': }
