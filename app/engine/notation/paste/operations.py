"""The strides of a convolution or a pool, which are steps over its input and no tensor's.

They stand in the brackets of a call of that name, or beside the sizes of a kernel, padding or
dilation: in the same brackets, outside of all brackets in the same line or the next to it. A word
before them may say whose they are. Source: the reprs of torch.nn.Conv2d and MaxPool2d, attributes
of ONNX's Conv, the configuration of Keras's Conv2D, cuDNN's log of a convolution's descriptor.
"""

import re

_NAMED = re.compile(
    r"\b(?:kernel_?(?:size|shape)|(?:pool|window)_?size|(?:\w{1,9}_)?padding|(?:auto_)?pads?"
    r"|(?:Pre|Post|Start|End)Padding|padA|dilat(?:ions?|ionA|ion_rate)|ceil_mode)['\"]?\s?[:=]",
    re.ASCII | re.IGNORECASE,
)
_TOKEN = re.compile(
    rf"(?P<named>{_NAMED.pattern})"
    # With a name of sizes beside them, they are a tensor's, which has padding.
    r"|(?P<sizes>(?<!\w)(?:shape|sizes?|dims|dimA)['\"]?\s?[:=])"
    r"|(?P<whose>(?<!\w)(?:conv(?:olution)?|pool(?:ing)?)(?:\dd)?(?:'s)?\s)?"
    r"(?<![\w.])(?P<strides>strideA|strides?)\b"
    r"|(?P<call>(?<!\w)\w{0,20}(?:conv(?!ert)|pool)\w{0,20}\s?)?(?P<opens>[(\[{])|(?P<closes>[)\]}])"
    r"|(?P<line>\n)",
    re.ASCII | re.IGNORECASE,
)
_Level = tuple[int, int]  # where its bracket opens, else -1 and the number of the line


def names_operation(text: str) -> bool:
    """Whether a text names the parts of a convolution or a pool."""
    return _NAMED.search(text) is not None or bool(strides_of_operations(text))


def strides_of_operations(text: str) -> frozenset[int]:
    """Where the strides of operations begin."""
    opened: list[int] = []
    named: set[_Level] = set()
    sized: set[_Level] = set()
    strides: list[tuple[int, _Level]] = []
    found: set[int] = set()
    line = 0
    for token in _TOKEN.finditer(text):
        level = (opened[-1], 0) if opened else (-1, line)
        if token["line"]:
            line += 1
        elif token["opens"]:
            opened.append(token.end())
            named |= {(token.end(), 0)} if token["call"] else set()
        elif token["closes"]:
            del opened[-1:]
        elif token["named"] or token["sizes"]:
            near = {level} if opened else {(-1, line + lines) for lines in (-1, 0, 1)}
            (named if token["named"] else sized).update(near)
        elif token["whose"]:
            found.add(token.start("strides"))
        else:
            strides.append((token.start("strides"), level))
    levels = named - sized
    return frozenset(found.union(at for at, level in strides if level in levels))
