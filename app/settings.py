"""Limits and switches, frozen at start; each can be set as STRIDESCOPE_<NAME>."""

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Settings of one process."""

    model_config = SettingsConfigDict(env_prefix="STRIDESCOPE_", frozen=True)

    max_body_bytes: int = Field(64 * 2**20, ge=1024, description="Largest request body.")
    max_values: int = Field(
        2**22, ge=2**20, description="Most values, coordinates or offsets in or out of one call."
    )
