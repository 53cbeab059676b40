"""`progress=True` is a bar of tqdm, which ends at 100 %, or where the fit was stopped."""

import contextlib
import io

import me_hodgerank

votes = me_hodgerank.simulate(annotators=300, items=40, seed=1)
with contextlib.redirect_stderr(io.StringIO()) as shown:
    me_hodgerank.fit(votes, progress=True)
assert "100%|" in shown.getvalue(), shown.getvalue()
with contextlib.redirect_stderr(io.StringIO()) as shown:
    try:
        me_hodgerank.fit(votes, progress=True, kappa=1e5, max_seconds=0.05)
        raise SystemExit("not stopped")
    except me_hodgerank.Timeout:
        pass
assert "0%|" in shown.getvalue() and "100%|" not in shown.getvalue(), shown.getvalue()
print("fine")
