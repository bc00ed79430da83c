"""The same profiles as for the property tests."""

import tests.property.conftest  # noqa: F401  (it loads one)
