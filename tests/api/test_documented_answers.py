"""What OpenAPI promises holds: statuses, content types and schemas, for requests made from it."""

from typing import Any

import schemathesis
from hypothesis import settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from app.main import app

# Files are bytes to it, whatever they hold.
for media_type in ("application/x-npy", "application/vnd.safetensors"):
    schemathesis.serializer.alias(media_type, "application/octet-stream")

SCHEMA = schemathesis.openapi.from_asgi("/openapi.json", app)


@SCHEMA.parametrize()
@settings(max_examples=40)
def test_every_answer_is_the_documented_one(case: schemathesis.Case[Any]) -> None:
    # That check wants 2xx for all that fits the schema, which cannot say which texts are layouts.
    case.call_and_validate(excluded_checks=[positive_data_acceptance])
