"""FastAPI without building the models of OpenAPI, which only who describes an API needs."""

from __future__ import annotations

import sys

from pydantic import BaseModel, ConfigDict

if "fastapi" not in sys.modules:
    # Models inherit this; those made while it holds are built when they are first used.
    kept = BaseModel.model_config
    BaseModel.model_config = ConfigDict(defer_build=True)
    import fastapi.applications  # noqa: F401

    BaseModel.model_config = kept

from headrace.api.app import create_app

__all__ = ["create_app"]
