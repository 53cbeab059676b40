"""The examples in the package's own documentation."""

import doctest

import me_hodgerank

# Exceptions say that they are of the package itself, and are found there.
PRIVATE = ["_connections", "_drawings", "_fit", "_table"]
for module in [me_hodgerank, *(getattr(me_hodgerank, name) for name in PRIVATE)]:
    failed, tried = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert tried and not failed, module
for name in me_hodgerank.__all__:
    value = getattr(me_hodgerank, name)
    if callable(value):
        is_kind_of_error = isinstance(value, type) and issubclass(value, me_hodgerank.Error) and value is not me_hodgerank.Error
        assert value.__doc__ and (is_kind_of_error or ">>> " in value.__doc__), name
for one in [me_hodgerank.Fit, me_hodgerank.Table]:
    for name, value in vars(one).items():
        assert name.startswith("_") or value.__doc__, name
print("fine")
