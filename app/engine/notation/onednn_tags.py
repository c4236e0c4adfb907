"""The format tags of oneDNN's public headers: what its C and C++ interfaces can name.

Version 2 takes any blocks in ``dnnl_memory_desc_t``. Version 3 keeps that structure private, so its
blocked layouts are those of these tags, with their dimensions in any order. ``onednn_tags.json``
lists tags and types by the first of these versions whose header has them, without the types that
every version has. `make conformance` compares it with the headers.

Source: include/oneapi/dnnl/dnnl_types.h (dnnl_format_tag_t, dnnl_data_type_t) of 2.0, 2.4, 2.5,
2.6, 3.0, 3.1, 3.2, 3.5 to 3.9, 3.11 and 3.13. No tag was ever removed.
"""

import json
from pathlib import Path
from typing import Final

_LISTED: Final = json.loads(Path(__file__).with_suffix(".json").read_bytes())
TAG_SINCE: Final = {
    tag: version for version, rows in _LISTED["tags"].items() for row in rows for tag in row.split()
}
TYPE_SINCE: Final = {
    name: version for version, names in _LISTED["types"].items() for name in names.split()
}
