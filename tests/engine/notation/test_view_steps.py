"""Steps of a view that the API's tests cannot ask for."""

import pytest

from app.engine import Digit, Layout, LayoutError
from app.engine.model.views import NeedsCopy
from app.engine.network.rules.pytorch_eager.memory import iterate
from app.engine.notation.view_steps import submemory


def test_onednn_has_no_part_of_a_layout_that_it_cannot_describe() -> None:
    crossed = Layout((4,), "W", ((Digit(1, 4), Digit(2, 1), Digit(2, 2)),))
    assert submemory(crossed, [0], [2]) == NeedsCopy(
        "oneDNN has no blocking descriptor for this layout."
    )


def test_no_operand_gives_no_result() -> None:
    with pytest.raises(LayoutError) as refused:
        iterate([])
    assert refused.value.field == "operands"
