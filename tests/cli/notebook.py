"""Executes a notebook and compares what its cells print with what it holds: `notebook.py NOTEBOOK [client]`.

With `client` Jupyter runs the cells (nbclient), else this program; pictures are then only looked at for being there."""

import ast
import contextlib
import io
import json
import sys
import types


class Picture:
    """IPython.display.SVG where there is no IPython."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            assert "<svg" in file.read(), path


def displayed(outputs):
    """The words that a cell's outputs have; a picture is one."""
    words = []
    for output in outputs:
        assert output["output_type"] != "error", output
        data = output.get("data", {})
        text = output["text"] if "text" in output else data["text/plain"]
        words += ["picture"] if "image/svg+xml" in data else "".join(text).split()
    return words


def executed(source, names):
    """The same for a cell that is executed here: what it prints, and the value of its last expression."""
    tree, value, printed = ast.parse(source), None, io.StringIO()
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        if last:
            value = eval(compile(last, "cell", "eval"), names)
    words = printed.getvalue().split()
    return words + (["picture"] if type(value).__name__ in ("SVG", "Picture") else [] if value is None else repr(value).split())


notebook = json.load(open(sys.argv[1], encoding="utf-8"))
cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
held = [displayed(cell["outputs"]) for cell in cells]
assert len(cells) > 3 and sum(len(words) for words in held) > 50, "a notebook without outputs"
if "client" in sys.argv:
    import nbclient
    import nbformat

    client = nbclient.NotebookClient(nbformat.read(sys.argv[1], as_version=4), timeout=60, kernel_name="python3")
    now = [displayed(cell["outputs"]) for cell in client.execute()["cells"] if cell["cell_type"] == "code"]
else:
    try:
        import IPython.display
    except ImportError:
        sys.modules["IPython"] = types.ModuleType("IPython")
        sys.modules["IPython.display"] = types.ModuleType("IPython.display")
        sys.modules["IPython.display"].SVG = Picture
    names = {}
    now = [executed("".join(cell["source"]), names) for cell in cells]
for number, (before, after) in enumerate(zip(held, now), 1):
    if before != after:
        sys.exit(f"code cell {number} prints\n{' '.join(after)}\nand the notebook holds\n{' '.join(before)}\nTo execute it again: "
                 "jupyter nbconvert --to notebook --execute --inplace NOTEBOOK")
