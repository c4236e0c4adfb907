"""Limits and switches, fixed at start; the environment sets each as STRIDESCOPE_<NAME>."""

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from .contract.answers import MAX_VALUES
from .contract.plans import MOST_SECONDS


class Settings(BaseSettings):
    """Settings of one process."""

    model_config = SettingsConfigDict(env_prefix="STRIDESCOPE_", frozen=True)

    max_body_bytes: int = Field(64 * 2**20, ge=1024, description="Largest body in JSON: 413.")
    max_values: int = Field(
        MAX_VALUES, ge=2**20, description="Values, coordinates or offsets of one call: 422."
    )
    max_file_bytes: int = Field(
        2 * 2**30, ge=1024, description="Largest file to reorder, and largest result: 413, 422."
    )
    max_memory_bytes: int = Field(2**30, ge=2**26, description="Memory of all calls together: 503.")
    max_call_bytes: int = Field(
        640 * 2**20, ge=2**26, description="Memory of one call in JSON: 422."
    )
    max_file_memory_bytes: int = Field(
        256 * 2**20,
        ge=0,
        description="Memory of all files being reordered; the others are on disk.",
    )
    max_temporary_bytes: int = Field(
        8 * 2**30, ge=0, description="Disk of all files being reordered: 503."
    )
    workers: int = Field(
        2, ge=1, description="Processes for calls that take long; small calls have others."
    )
    max_waiting: int = Field(64, ge=0, description="Calls that may wait for a worker: 503.")
    wait_seconds: float = Field(5, gt=0, description="Longest wait for a worker: 503.")
    call_seconds: float = Field(30, gt=0, description="Longest time of one call in JSON: 503.")
    max_connections: int = Field(512, ge=1, description="Connections at a time: 503.")
    idle_seconds: float = Field(
        6, gt=0, description="Longest pause of a sender, 408, or of a reader."
    )
    head_seconds: float = Field(6, gt=0, description="Longest time for all headers of a request.")
    least_bytes_per_second: float = Field(
        32 * 2**10, ge=0, description="Least rate of a body, 408, or an answer."
    )
    transfer_seconds: float = Field(
        1800, gt=0, description="Longest time for a body, 408, or an answer."
    )
    stop_seconds: float = Field(
        8, ge=0, description="Longest time for calls that run when the server is told to stop."
    )
    max_model_bytes: int = Field(128 * 2**20, ge=1024, description="Largest .onnx file: 413.")
    max_plan_seconds: float = Field(
        MOST_SECONDS, gt=0, description="Longest time that /plan may be given: 422."
    )
    answer_cache_bytes: int = Field(
        32 * 2**20, ge=0, description="Memory of kept answers; 0 keeps none."
    )
    metrics_path: str = Field(
        "/metrics",
        pattern=r"^(/[A-Za-z0-9_-]+)?$",
        description="Where metrics are; empty: nowhere.",
    )
    metrics_host: str = Field("127.0.0.1", description="Address of the port of the metrics.")
    metrics_port: int | None = Field(
        None, ge=1, le=65535, description="A port of their own for metrics, instead of the path."
    )
    allow_untested_server: bool = Field(
        default=False, description="Serve the world also by an untested uvicorn, without deadlines."
    )
    threads: int | None = Field(
        None, ge=1, description="Threads of one reorder; by default the engine decides."
    )
