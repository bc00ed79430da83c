"""Language models' answers that hold a plan: taking it out, and having single lines mended."""
