-- What of the resource: a JSON list of objects with property and message; no values that are secret.
ALTER TABLE steps ADD COLUMN changes TEXT;
