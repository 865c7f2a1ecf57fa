"""Jobs that ship with Headrace, one a module; `registry` lists them."""
