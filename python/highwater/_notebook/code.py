"""The body of a cell as IPython would run it: the same magics, the same display of its last expression, and lines
that are numbered as the notebook numbers them."""

import ast

LONGEST = 60
FIRST = "%%highwater\n"  # the line above the body


class CellCode:
    def __init__(self, shell, body):
        """Whatever is wrong with the cell's text is raised here, as Python says it."""
        blank = len(body) - len(body.lstrip("\n"))
        text = shell.transform_cell(body)
        above = "\n" * blank
        self.text = FIRST + above + text
        self.name = shell.compile.cache(self.text, shell.displayhook.prompt_count)
        tree = shell.compile.ast_parse("\n" + above + text, filename=self.name)
        self.first = tree.body[0].lineno if tree.body else 0
        self.last = getattr(tree.body[-1], "end_lineno", tree.body[-1].lineno) if tree.body else 0
        silent = _ends_silently(shell, body)
        nodes = _interactive(shell.transform_ast(tree).body, "none" if silent else shell.ast_node_interactivity)
        self._parts = [shell.compile(*_module(node, shown), self.name, "single" if shown else "exec") for node, shown in nodes]

    def run(self, namespace):
        for part in self._parts:
            exec(part, namespace)

    def line(self, number):
        """The text of a line; empty where there is none."""
        lines = self.text.splitlines()
        text = lines[number - 1].strip() if 0 < number <= len(lines) else ""
        return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def awaits(shell, body):
    """Whether it is a top-level `await` that keeps a cell from being run here."""
    flag = getattr(ast, "PyCF_ALLOW_TOP_LEVEL_AWAIT", 0)
    try:
        compile(shell.transform_cell(body), "<cell>", "exec", flag)
        return bool(flag)
    except (SyntaxError, ValueError):
        return False


def _interactive(nodes, which):
    """(node, whether its value is shown), as `InteractiveShell.ast_node_interactivity` says."""
    if which == "last_expr_or_assign" and nodes and isinstance(nodes[-1], (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        target = nodes[-1].targets[0] if isinstance(nodes[-1], ast.Assign) else nodes[-1].target
        if isinstance(target, ast.Name):
            shown = ast.Expr(ast.Name(target.id, ast.Load()))
            nodes = [*nodes, ast.fix_missing_locations(ast.copy_location(shown, nodes[-1]))]
    if which == "all":
        return [(node, True) for node in nodes]
    last = nodes[-1] if nodes else None
    wanted = which == "last" or (which != "none" and isinstance(last, ast.Expr))
    return [(node, wanted and node is last) for node in nodes]


def _module(node, shown):
    return (ast.Interactive([node]),) if shown else (ast.Module([node], []),)


def _ends_silently(shell, body):
    check = getattr(type(shell.displayhook), "semicolon_at_end_of_expression", None)
    try:
        return bool(check and check(body))
    except Exception:
        return False  # what it makes of half a line is not ours to judge
