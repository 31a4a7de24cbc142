"""Plugins that are tried from a file, without a package that announces them."""

import sys
import traceback
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from podium.api.errors import PodiumError
from podium.scheduler.plugin_registry import add_plugin
from podium.ui.inputs.input_error import InputError


def load_plugin(text: str) -> str:
    """Let configurations enable a plugin from a file; its name; raises InputError.

    What stands beside the file can be imported by it.
    """
    path, colon, called = text.rpartition(":")
    if not colon or not called.isidentifier() or not path.endswith(".py"):
        raise InputError(f"--plugin {text}: must be FILE:CLASS, such as ./cheap.py:CheapFirst")
    module = _module(Path(path))
    try:
        return add_plugin(getattr(module, called))
    except AttributeError:
        known = [name for name, one in vars(module).items() if _is_own_class(one, module)]
        there = f"its classes are {', '.join(known)}" if known else "it has no classes"
        raise InputError(f"--plugin {text}: {path} has no {called}; {there}") from None
    except (PodiumError, TypeError) as error:
        raise InputError(f"--plugin {text}: {error}") from error


def _module(path: Path) -> ModuleType:
    name = f"plugin_file_{path.stem}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise InputError(f"--plugin: {path}: there is no such file")
    module = module_from_spec(spec)
    # Dataclasses look their module up, and modules beside it are its own.
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"--plugin: {path}: {_told(error, path)}") from error
    finally:
        sys.path.pop(0)
    return module


def _told(error: Exception, path: Path) -> str:
    trace = traceback.extract_tb(error.__traceback__)
    lines = [one.lineno for one in trace if one.filename == str(path)]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    what = f"{type(error).__name__}: {error.msg if isinstance(error, SyntaxError) else error}"
    return what if line is None else f"line {line}: {what}"


def _is_own_class(value: object, module: ModuleType) -> bool:
    return isinstance(value, type) and value.__module__ == module.__name__
