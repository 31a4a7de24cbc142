"""Small changes to a source file, each in one place, such as a slip of the keyboard makes."""

import ast
import difflib
from collections.abc import Iterator
from typing import NamedTuple

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_OPPOSITES = {"min": "max", "max": "min", "any": "all", "all": "any"}
_OPERATIONS = (ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare)
# Types, and what the wording of errors and failed assertions is made of.
_IDLE = (ast.JoinedStr, ast.Assert, ast.Raise)
_IDLE_FIELDS = {"annotation", "returns", "decorator_list", "bases"}


class Mutation(NamedTuple):
    """Another text for one place of a source file.

    Attributes:
        path: of the file, from the top of the checkout.
        line: the first line of the place, from 1.
        start: offset of the place in the file's bytes.
        end: offset of the first byte behind it.
        text: the new text.
    """

    path: str
    line: int
    start: int
    end: int
    text: str

    def applied(self, source: str) -> str:
        """The source file with the mutation."""
        content = source.encode()
        return (content[: self.start] + self.text.encode() + content[self.end :]).decode()

    def diff(self, source: str) -> str:
        """The mutation as a unified diff, with a line of context."""
        before, after = source.splitlines(), self.applied(source).splitlines()
        where = f"{self.path}:{self.line}"
        return "\n".join(difflib.unified_diff(before, after, where, where, n=1, lineterm=""))


def mutations(path: str, source: str) -> list[Mutation]:
    """All mutations of a source file, in the order of its syntax tree."""
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for node, parent in _places(ast.parse(source)):
        for other in _alternatives(node, parent):
            text = ast.unparse(other)
            if isinstance(parent, _OPERATIONS) and isinstance(other, _OPERATIONS):
                text = f"({text})"
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
            found.append(Mutation(path, node.lineno, start, end, text))
    return found


def owners_of_lines(source: str) -> list[str]:
    """The class and function around each line, such as `.Queue.pop`; empty at the top."""
    owners = [""] * (source.count("\n") + 1)
    # From the outermost in.
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for line in range(node.lineno - 1, node.end_lineno or 0):
                owners[line] += f".{node.name}"
    return owners


def _places(parent: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, ast.AST]]:
    """Expressions and statements within a node, with their parents, where a change may matter."""
    for field, value in ast.iter_fields(parent):
        if field in _IDLE_FIELDS or (isinstance(parent, ast.ClassDef) and field == "keywords"):
            continue
        for node in value if isinstance(value, list) else [value]:
            if not isinstance(node, ast.AST) or _is_type_alias(node, parent):
                continue
            # The arguments of `zip` are of one length.
            if isinstance(node, ast.keyword) and node.arg == "strict":
                continue
            if isinstance(node, ast.expr | ast.stmt):
                yield node, parent
            if not isinstance(node, _IDLE):
                yield from _places(node)


def _is_type_alias(node: ast.AST, parent: ast.AST) -> bool:
    match node:
        case ast.Assign(value=ast.BinOp(op=ast.BitOr()) | ast.Subscript()):
            return isinstance(parent, ast.Module)
    return False


def _alternatives(node: ast.AST, parent: ast.AST) -> Iterator[ast.AST]:
    """What may stand in a node's place."""
    match node:
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            for number, op in enumerate(ops):
                other = [*ops[:number], _COMPARISONS[type(op)](), *ops[number + 1 :]]
                yield ast.Compare(left, other, comparators)
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            yield ast.BinOp(left, _ARITHMETIC[type(op)](), right)
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield ast.Constant(value + 1)
            yield ast.Constant(value - 1)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in _OPPOSITES:
            yield ast.Call(ast.Name(_OPPOSITES[name]), args, keywords)
        case ast.AugAssign(target=target, op=op, value=value) if type(op) in _ARITHMETIC:
            yield ast.AugAssign(target, _ARITHMETIC[type(op)](), value)
        case ast.Name() | ast.Attribute() | ast.Call() if _is_condition(node, parent):
            yield ast.UnaryOp(ast.Not(), node)
    if _is_removable(node, parent):
        yield ast.Pass()


def _is_condition(node: ast.AST, parent: ast.AST) -> bool:
    match parent:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            return node is test
        case ast.BoolOp(values=conditions) | ast.comprehension(ifs=conditions):
            return node in conditions
    return False


def _is_removable(node: ast.AST, parent: ast.AST) -> bool:
    """Whether a statement has an effect, or ends something early, and may be left out."""
    match node:
        case ast.Expr(value=ast.Call() | ast.Await() | ast.Yield() | ast.YieldFrom()):
            return True
        case ast.Assign(targets=targets):
            return all(isinstance(target, ast.Attribute | ast.Subscript) for target in targets)
        case ast.AugAssign() | ast.Delete() | ast.Raise() | ast.Continue() | ast.Break():
            return True
        case ast.Return():
            return not isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef)
    return False
