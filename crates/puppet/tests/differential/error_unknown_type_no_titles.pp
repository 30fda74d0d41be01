nothing { []: }
