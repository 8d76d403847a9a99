"""What holds for every test: a property test is never failed by a slow machine."""

from hypothesis import settings

settings.register_profile("no_clock", deadline=None)
settings.load_profile("no_clock")
