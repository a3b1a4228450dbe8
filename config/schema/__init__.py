"""The JSON Schema of the rules file, for editors; `litecode.schema.json` beside this module is what ships."""
