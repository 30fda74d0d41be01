-- No program reads it.
DROP TABLE given;
