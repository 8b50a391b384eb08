"""All heads of a model, as a page takes them."""

import json
import re
from typing import Any

import pytest
import torch

from attention import head_browser


def maps(layers: int, heads: int, T: int) -> list[torch.Tensor]:
    scores = torch.randn(layers, heads, T, T)
    hidden = torch.ones(T, T, dtype=torch.bool).triu(1)
    return list(torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1))


def data_of(html: str) -> dict[str, object]:
    found = re.search(r'<script type="application/json">(.*?)</script>', html, re.S)
    assert found
    data: dict[str, object] = json.loads(found[1])
    return data


def test_page_gets_every_map_in_thousandths_and_as_a_table() -> None:
    weights = maps(2, 3, 4)
    html = head_browser(weights, ["a", "b", "c", "d"])._repr_html_()
    data = data_of(html)
    rows = [
        [[[*row[: i + 1]] for i, row in enumerate(head)] for head in layer] for layer in weights
    ]
    expected = [[[[round(float(w) * 1000) for w in r] for r in h] for h in layer] for layer in rows]
    assert data == {"scale": 1000, "tokens": ["a", "b", "c", "d"], "maps": expected}
    assert re.findall("<caption>(.*?)</caption>", html) == [
        f"layer {layer}, head {head}" for layer in range(2) for head in range(3)
    ]


def test_token_cannot_end_the_script() -> None:
    html = head_browser(maps(1, 1, 1), ["</script><b>"])._repr_html_()
    assert html.count("</script>") == 1
    assert data_of(html)["tokens"] == ["</script><b>"]


def test_maps_from_a_file_are_named_and_not_contained() -> None:
    weights = maps(3, 4, 2)
    html = head_browser(weights, ["a", "b"], source="x.json?a&b", start=(2, 1))._repr_html_()
    assert 'data-source="x.json?a&amp;b"' in html
    assert 'data-layer="2" data-head="1"' in html
    assert "<table" not in html
    assert "<script" not in html


def test_terminal_shows_every_map() -> None:
    text = repr(head_browser(maps(2, 1, 2), ["a", "b"]))
    assert "layer 0, head 0" in text
    assert "layer 1, head 0" in text


ENDLESS: list[object] = [1.0]
ENDLESS.append(ENDLESS)


@pytest.mark.parametrize(
    ("weights", "options", "said"),
    [
        (maps(3, 3, 2), {}, "9 heads are too many for one page"),
        (maps(1, 2, 2), {"start": (0, 2)}, "no layer 0 with a head 2"),
        (maps(1, 2, 2), {"start": (-1, 0)}, "no layer -1"),
        (maps(1, 2, 2) + maps(1, 1, 2), {}, "as many heads"),
        ([], {}, "weights hold no layer; give"),
        (torch.tensor(1.0), {}, r"weights are tensor\(1\.\), of type Tensor; give"),
        ([torch.tensor(1.0)], {}, r"weights\[0\] of shape \(\) is not \(H, T, T\); give"),
        ([*maps(1, 1, 2), torch.eye(2)], {}, r"weights\[1\] of shape \(2, 2\) is not"),
        ([ENDLESS], {}, "is a list in more than 8 others"),
        (maps(1, 2, 3), {}, "2"),
        ([torch.full((1, 2, 2), 0.5)], {}, "layer 0, head 0 has weights above the diagonal"),
    ],
)
def test_what_does_not_fit_is_refused(weights: Any, options: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        head_browser(weights, ["a", "b"], **options)
