"""Security headers on every response."""

import secrets
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_NONCE: Final = "stridescope.nonces"  # in a scope: a list, which copies of the scope share
EMBED: Final = "/embed"
_FRAMES: Final = "base-uri 'none'; frame-ancestors 'none'"
# What is no page runs and loads nothing, if somebody opens it as one.
_NOTHING: Final = f"default-src 'none'; form-action 'none'; {_FRAMES}"
# A drawing brings its own style and pixels.
_DRAWING: Final = f"{_NOTHING}; style-src 'unsafe-inline'; img-src data:"
_SVG: Final = (b"content-type", b"image/svg+xml")
# Scripts with the nonce and the modules that they import; no text becomes a script.
_SCRIPTS: Final = "script-src 'nonce-{nonce}' 'strict-dynamic'; require-trusted-types-for 'script'"
_PAGE: Final = "; ".join(
    (
        "default-src 'none'",
        _SCRIPTS,
        "trusted-types 'none'",
        "style-src 'self' 'nonce-{nonce}'",
        # blob: for a picture that the user dropped, data: for small drawings in style sheets
        "img-src 'self' blob: data:",
        "connect-src 'self'",
        "form-action 'self'",
        _FRAMES,
    )
)
# The only page that others may show in a frame: it asks the API for a layout, and keeps nothing.
# No frame-ancestors: its * is any host, but not a file, as slides are that somebody shows.
_EMBED: Final = _PAGE.replace(_FRAMES, "base-uri 'none'")
_FRAMED: Final = ((b"cross-origin-resource-policy", b"cross-origin"),)

_HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
_OWN: Final = {b"x-frame-options", *(name for name, _ in _FRAMED)}
_POLICY: Final = b"content-security-policy"


def new_nonce(scope: Scope) -> str:
    """Make the nonce of a page, which its policy will name."""
    nonces: list[str] = scope.setdefault(_NONCE, [])
    if not nonces:
        nonces.append(secrets.token_urlsafe(16))
    return nonces[0]


class SecurityHeaders:
    """Pure ASGI middleware that adds each security header that a response does not have."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        nonces = scope.setdefault(_NONCE, [])

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message["headers"]
                present = {name for name, _ in headers}
                if _POLICY not in present and message["status"] != 304:
                    # 304 leaves a page its policy, whose nonce is that of the page.
                    page = _EMBED if scope["path"] == EMBED else _PAGE
                    other = _DRAWING if _SVG in headers else _NOTHING
                    policy = page.format(nonce=nonces[0]) if nonces else other
                    headers.append((_POLICY, policy.encode()))
                usual: tuple[tuple[bytes, bytes], ...] = _HEADERS
                if scope["path"] == EMBED and nonces:
                    usual = (*_FRAMED, *(pair for pair in _HEADERS if pair[0] not in _OWN))
                headers += [pair for pair in usual if pair[0] not in present]
            await send(message)

        await self._app(scope, receive, send_guarded)
