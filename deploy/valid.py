"""Ends with an error unless a file is a valid CycloneDX document: ``valid.py dist/sbom.json``."""

from __future__ import annotations

import sys
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

if __name__ == "__main__":
    text = Path(sys.argv[1]).read_text("utf-8")
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    sys.exit(None if error is None else str(error))
