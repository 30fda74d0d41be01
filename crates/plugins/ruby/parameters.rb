# Parameters and properties of resource types.
