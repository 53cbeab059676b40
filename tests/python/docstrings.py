"""The examples in the package's own documentation."""

import doctest

import me_hodgerank

for module in [me_hodgerank, me_hodgerank._connections, me_hodgerank._drawings]:
    failed, tried = doctest.testmod(module)
    assert tried and not failed, module
for function in [me_hodgerank.connect, me_hodgerank.load, me_hodgerank.draw, me_hodgerank.show, me_hodgerank.Drawing]:
    assert ">>> " in function.__doc__, function
print("fine")
