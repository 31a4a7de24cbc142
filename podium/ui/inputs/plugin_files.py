"""Scheduler plugins from Python files, which needn't be installed as packages."""

import sys
import traceback
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from podium.api.errors import PodiumError
from podium.scheduler.plugin_registry import add_plugin
from podium.ui.inputs.input_error import InputError


def load_plugin(plugin: str | Path | type) -> str:
    """Register a plugin class, or that of `FILE:CLASS`, and return its name; raises InputError.

    The file can import modules in its own directory.
    """
    if isinstance(plugin, type):
        return _added(plugin, plugin.__qualname__)
    text = str(plugin)
    path, colon, class_name = text.rpartition(":")
    if not colon or not class_name.isidentifier() or not path.endswith(".py"):
        raise InputError(f"--plugin {text}: must be FILE:CLASS, such as ./cheap.py:CheapFirst")
    file = Path(path)
    module_name = f"plugin_file_{file.stem}"
    spec = spec_from_file_location(module_name, file)
    if spec is None or spec.loader is None or not file.is_file():
        raise InputError(f"--plugin: {file}: there is no such file")
    module = module_from_spec(spec)
    # Dataclasses look their module up there.
    sys.modules[module_name] = module
    sys.path.insert(0, str(file.parent.resolve()))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        trace = traceback.extract_tb(error.__traceback__)
        line = next(
            (frame.lineno for frame in reversed(trace) if frame.filename == str(file)), None
        )
        message = str(error)
        if isinstance(error, SyntaxError):
            line, message = error.lineno, error.msg
        at = "" if line is None else f"line {line}: "
        raise InputError(f"--plugin: {file}: {at}{type(error).__name__}: {message}") from error
    finally:
        sys.path.pop(0)
    plugin_class = getattr(module, class_name, None)
    if plugin_class is None:
        own = [
            name
            for name, value in vars(module).items()
            if isinstance(value, type) and value.__module__ == module.__name__
        ]
        hint = f"its classes are {', '.join(own)}" if own else "it has no classes"
        raise InputError(f"--plugin {text}: {path} has no {class_name}; {hint}")
    return _added(plugin_class, text)


def _added(plugin_class: object, text: str) -> str:
    try:
        return add_plugin(plugin_class)
    except (PodiumError, TypeError) as error:
        raise InputError(f"--plugin {text}: {error}") from error
