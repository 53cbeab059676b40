"""The exceptions. Each has the text that the SQL functions give, and a built-in base."""


class Error(Exception):
    """Every error of this package, in its own words. What is wrong with an argument that is
    no vote and no option at all is a TypeError.

        >>> import me_hodgerank
        >>> issubclass(me_hodgerank.VotesError, ValueError), issubclass(me_hodgerank.Timeout, TimeoutError)
        (True, True)
    """


class VotesError(Error, ValueError):
    """The votes cannot be used: a column, a row or the table."""


class OptionError(Error, ValueError):
    """An option is unknown, of the wrong type or out of range."""


class ModelError(Error, ValueError):
    """The bytes are not a model of this package."""


class Timeout(Error, TimeoutError):
    """The option `max_seconds` has passed."""


class InternalError(Error, RuntimeError):
    """A defect of this package: please report it."""


for _class in (Error, VotesError, OptionError, ModelError, Timeout, InternalError):
    _class.__module__ = "me_hodgerank"
