"""Builds the wheel with the standard library, so `pip install ./sdk/python` downloads nothing (PEP 517 and PEP 427)."""

from __future__ import annotations

import base64
import hashlib
import pathlib
import tarfile
import tomllib
import zipfile

_HERE = pathlib.Path(__file__).parent
_PROJECT = tomllib.loads((_HERE / "pyproject.toml").read_text())["project"]
_NAME = f"{_PROJECT['name']}-{_PROJECT['version']}"
_METADATA = f"""Metadata-Version: 2.1
Name: {_PROJECT['name']}
Version: {_PROJECT['version']}
Summary: {_PROJECT['description']}
License: {_PROJECT['license']['text']}
Requires-Python: {_PROJECT['requires-python']}
Description-Content-Type: text/markdown

"""
_WHEEL = """Wheel-Version: 1.0
Generator: longcode
Root-Is-Purelib: true
Tag: py3-none-any
"""


def _modules() -> list[pathlib.Path]:
    return sorted(file for file in (_HERE / "longcode").iterdir() if file.suffix in (".py", ".typed"))


def build_wheel(
    wheel_directory: str, config_settings: object = None, metadata_directory: str | None = None
) -> str:
    info = f"{_NAME}.dist-info"
    files = {f"longcode/{file.name}": file.read_bytes() for file in _modules()}
    files[f"{info}/METADATA"] = (_METADATA + (_HERE / "README.md").read_text()).encode()
    files[f"{info}/WHEEL"] = _WHEEL.encode()
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"{_NAME}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in files.items():
            target.writestr(name, data)
    return wheel


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    sdist = f"{_NAME}.tar.gz"
    with tarfile.open(pathlib.Path(sdist_directory) / sdist, "w:gz") as target:
        for file in [_HERE / "pyproject.toml", _HERE / "README.md", pathlib.Path(__file__), *_modules()]:
            target.add(file, f"{_NAME}/{file.relative_to(_HERE)}")
    return sdist


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
