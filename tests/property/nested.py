"""Nested lists. Cells are tuples, so lists are only what nests."""


def depth(value):
    return 1 + depth(value[0]) if isinstance(value, list) else 0


def shape_of(value):
    shape = []
    while isinstance(value, list):
        shape.append(len(value))
        value = value[0]
    return shape


def mapped(value, change):
    return [mapped(v, change) for v in value] if isinstance(value, list) else change(value)


def paired(one, other, change):
    """`change` of every two cells in the same place."""
    if isinstance(one, list):
        return [paired(a, b, change) for a, b in zip(one, other)]
    return change(one, other)


def flat(nested):
    if isinstance(nested, list):
        for item in nested:
            yield from flat(item)
    else:
        yield nested


def fits(value, shape):
    """Whether the lists nest to exactly this shape."""
    if not shape:
        return not isinstance(value, list)
    return isinstance(value, list) and len(value) == shape[0] and all(fits(v, shape[1:]) for v in value)


def transposed(matrix):
    return [list(column) for column in zip(*matrix)]


def split_columns(matrix, heads):
    """Heads of consecutive columns."""
    width = len(matrix[0]) // heads
    return [[row[h * width:(h + 1) * width] for row in matrix] for h in range(heads)]


def broadcast(nested, index):
    """The cell of a tensor at an index of a larger shape, aligned right."""
    for position in index[len(index) - depth(nested):]:
        nested = nested[position if len(nested) > 1 else 0]
    return nested
