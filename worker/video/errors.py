"""What can be wrong with a clip."""


class UnreadableClip(ValueError):
    """The bytes are not a clip that can be read, or one that is too large; the message says which."""
