"""A part of the interface that modules are written for."""
