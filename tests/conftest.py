"""Settings of all tests."""

from hypothesis import settings

# How long an example takes depends on what else the machine does; speed is measured elsewhere.
settings.register_profile("project", deadline=None)
settings.load_profile("project")
