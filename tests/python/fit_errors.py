"""What goes wrong: each kind of exception, with the engine's own text. With pyarrow."""

import ctypes
import inspect
import re

import me_hodgerank
import pyarrow
from me_hodgerank import Error, ModelError, OptionError, Timeout, VotesError, fit

votes = me_hodgerank.simulate(annotators=10, items=4, seed=7)
some = {"annotator": ["a", "b", "c"], "left": ["x", "y", "z"], "right": ["y", "z", "x"], "choice": ["left", "right", "left"]}


def table(**columns):
    given = {**some, **columns}
    return pyarrow.table({name: values for name, values in given.items() if values is not None})


def refused(kind, says, action):
    try:
        action()
    except kind as error:
        assert type(error) is kind and says in str(error), (type(error), str(error))
        return error
    raise SystemExit(f"not refused: {says}")


# Votes.
refused(VotesError, 'the votes have no column "choice"; they have "annotator", "left", "right": set choice', lambda: fit(table(choice=None)))
refused(VotesError, 'the votes have no column "choice"', lambda: fit(table(choice=None).slice(0, 0)))
refused(VotesError, "no votes", lambda: fit(table().slice(0, 0)))
refused(VotesError, "NULL", lambda: fit(table(left=["x", None, "z"])))
refused(VotesError, "NaN", lambda: fit(table(choice=[1.0, float("nan"), 1.0])))
refused(VotesError, "'perhaps'", lambda: fit(table(choice=["left", "perhaps", "left"])))
refused(VotesError, 'column "left" holds Float64; ids are integers or text', lambda: fit(table(left=[1.5, 2.5, 3.5])))
refused(VotesError, "weight", lambda: fit(table(n=[1, 0, 1]), weight="n"))
refused(VotesError, 'the votes have no column "n"', lambda: fit(table(), weight="n"))
skipped = fit(table(left=["x", None, "z"], choice=["left", "left", "right"]), on_bad_row="skip")
assert len(skipped.ranking()) == 3 and skipped.summary()[0]["skipped_rows"] == 1
# Text that is not UTF-8, from a library that does not check.
broken = pyarrow.Array.from_buffers(pyarrow.string(), 3, [None, pyarrow.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0"), pyarrow.py_buffer(b"x\xf0z")])
refused(VotesError, 'column "left" is damaged', lambda: fit(table(left=broken)))
refused(VotesError, 'column "note" is damaged', lambda: fit(table()).predict(table(note=broken)))
assert fit(table(note=broken)), "what is not read is not looked at"

# A stream that fails, or is used up.
def failing():
    yield table().to_batches()[0]
    raise RuntimeError("the disk is gone")


schema = table().schema
refused(VotesError, "the disk is gone", lambda: fit(pyarrow.RecordBatchReader.from_batches(schema, failing())))
reader = table().to_reader()
assert fit(reader)
refused(VotesError, "no votes", lambda: fit(reader))

# Options.
refused(OptionError, 'unknown option "kapa"; did you mean "kappa"?', lambda: fit(votes, kapa=10))
refused(OptionError, "kappa must be a finite number greater than 0, not -1", lambda: fit(votes, kappa=-1))
refused(OptionError, 'kappa must be a number, not "inf"', lambda: fit(votes, kappa=float("inf")))
refused(OptionError, 'kappa must be a number, not "[1]"', lambda: fit(votes, kappa=[1]))
refused(OptionError, "loss", lambda: fit(votes, loss="logstic"))
refused(OptionError, "threads must be a whole number, 1 or greater, not 0", lambda: fit(votes, threads=0))
refused(OptionError, "not True", lambda: fit(votes, threads=True))
refused(OptionError, 'unknown option "annotator"', lambda: me_hodgerank.simulate(annotator=3))
refused(OptionError, "top must be from 2 to 1000, not 1", lambda: fit(votes).compare(top=1))
refused(OptionError, 'unknown picture "rankng"; did you mean "ranking"?', lambda: fit(votes).plot("rankng"))
# Every option is an argument.
listed = re.search(r"The options are: (.*)", str(refused(OptionError, "unknown", lambda: fit(votes, no_such=1))))[1].split(", ")
arguments = [name for name in inspect.signature(fit).parameters if name not in ("votes", "progress", "unknown")]
assert listed == arguments, set(listed) ^ set(arguments)

# Candidates, predictions, models.
refused(VotesError, "candidates: the votes have no column", lambda: fit(table()).next(2, table(right=None)))
refused(VotesError, "is item 'x' and itself", lambda: fit(table()).next(2, table(right=["x", "z", "x"])))
refused(VotesError, "are integers and those that were fitted are text", lambda: fit(table()).predict(table(left=[1, 2, 3], right=[2, 3, 1])))
refused(VotesError, 'have a column "predicted" already', lambda: fit(table()).predict(table(predicted=[1, 2, 3])))
refused(ModelError, "", lambda: me_hodgerank.Fit.from_bytes(b"no model"))
refused(ModelError, "", lambda: me_hodgerank.Fit.from_bytes(fit(table()).to_bytes()[:-1]))

# Time.
slow = dict(kappa=1e5, max_seconds=0.02)
refused(Timeout, "stopped after max_seconds = 0.02", lambda: fit(me_hodgerank.simulate(annotators=500, items=50), **slow))

# What is no frame.
refused(TypeError, "votes must be a frame that speaks Arrow's PyCapsule interface, such as", lambda: fit(3))
refused(TypeError, "not list", lambda: fit([("a", "x", "y", "left")]))
refused(TypeError, "candidates must be a frame", lambda: fit(table()).next(2, "pairs"))
refused(TypeError, "progress must be a function, True or None, not 3", lambda: fit(votes, progress=3))
refused(VotesError, "no table that can be read", lambda: fit(pyarrow.chunked_array([[1, 2]])))
refused(VotesError, "no table that can be read", lambda: fit(pyarrow.array([{"left": 1}, None])))


class ArrowArray(ctypes.Structure):
    """The struct of Arrow's C interface, up to the number of children."""

    _fields_ = [(name, ctypes.c_int64) for name in ["length", "null_count", "offset", "n_buffers", "n_children"]]


class Damaged:
    """A frame that says it has no columns, against its schema: arrow panics."""

    def __arrow_c_array__(self, requested_schema=None):
        schema, array = table().to_batches()[0].__arrow_c_array__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        ArrowArray.from_address(pointer(array, b"arrow_array")).n_children = 0
        return schema, array


# A panic is an exception that `except Exception` catches, and the module goes on.
refused(me_hodgerank.InternalError, "panic: ", lambda: fit(Damaged()))
assert fit(table())

for kind, base in [(VotesError, ValueError), (OptionError, ValueError), (ModelError, ValueError), (Timeout, TimeoutError), (me_hodgerank.InternalError, RuntimeError)]:
    assert issubclass(kind, Error) and issubclass(kind, base) and kind.__module__ == "me_hodgerank", kind
print("fine")
